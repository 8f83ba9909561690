import { expect, it } from 'vitest'
import { shortTitle } from './short-title.ts'

it('a short title stays as it is, in one line', () => {
  expect(shortTitle('Price both\nnow')).toBe('Price both now')
})

it('a long one ends between words, without a dangling comma', () => {
  expect(shortTitle('Price both with the 2026 tariff', 16)).toBe('Price both with…')
  expect(shortTitle('Compare them, then price both', 16)).toBe('Compare them…')
})

it('a word that never ends is cut between characters', () => {
  expect(shortTitle('🥘'.repeat(40), 10)).toBe(`${'🥘'.repeat(9)}…`)
})
