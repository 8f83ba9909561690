import { expect, it } from 'vitest'
import { textDirection } from './text-direction.ts'

it('the first letter decides, figures and signs do not', () => {
  expect(textDirection('2024: قارن النترات with ours')).toBe('rtl')
  expect(textDirection('“מכתב לעירייה”')).toBe('rtl')
  expect(textDirection('Compare قارن')).toBe('ltr')
  expect(textDirection('12.4 — 🥘')).toBe('ltr')
  expect(textDirection('')).toBe('ltr')
})
