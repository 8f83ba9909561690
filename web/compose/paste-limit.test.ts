import { expect, it } from 'vitest'
import { judgePaste, lengthProblem } from './paste-limit.ts'

// R073
it('a paste beyond the limit is refused, and the limit is named', () => {
  const verdict = judgePaste(5_000_000, 12)
  expect(verdict.kind).toBe('refuse')
  expect(verdict.kind === 'refuse' && verdict.sentence).toContain('200,000')
})

it('what stays in the box counts', () => {
  expect(judgePaste(199_990, 10).kind).toBe('place')
  expect(judgePaste(199_990, 11).kind).toBe('refuse')
})

it('a small paste is the browser’s own', () => {
  expect(judgePaste(2_000, 0).kind).toBe('leave')
})

it('typing beyond the limit is named, typing up to it is not', () => {
  expect(lengthProblem(200_000)).toBeNull()
  expect(lengthProblem(200_001)).toContain('200,001')
})
