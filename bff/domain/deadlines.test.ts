import { expect, test } from 'vitest'
import { budgets } from '../../shared/job.ts'
import { ceilingMs, defaultDeadlines, softReviewMs } from './deadlines.ts'

const minuteMs = 60_000

test.each([
  ['quick', 15, 2],
  ['unknown', 15, 5],
  ['medium', 45, 30],
  ['long_compute', 45, 30],
] as const)('the ceiling of %s is %i min, its soft review %i min', (budget, ceiling, review) => {
  expect(ceilingMs(budget, defaultDeadlines)).toBe(ceiling * minuteMs)
  expect(softReviewMs(budget)).toBe(review * minuteMs)
})

test('a ceiling that is set holds for every budget', () => {
  for (const budget of budgets) expect(ceilingMs(budget, { ...defaultDeadlines, ceilingMs: 70 })).toBe(70)
})

test('a holder beats several times within a lease, and reviews come before the ceiling', () => {
  expect(defaultDeadlines.leaseMs / defaultDeadlines.heartbeatMs).toBeGreaterThanOrEqual(3)
  for (const budget of budgets) expect(softReviewMs(budget)).toBeLessThan(ceilingMs(budget, defaultDeadlines))
})
