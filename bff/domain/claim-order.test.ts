import { expect, test } from 'vitest'
import { priorityMax } from '../../shared/job.ts'
import { agingMsDefault, claimRank } from './claim-order.ts'

const noon = new Date('2026-03-12T12:00:00.000Z')
const later = (ms: number) => new Date(noon.getTime() + ms)
const rank = (createdAt: Date, priority: number, scheduledFor: Date | null = null) =>
  claimRank({ createdAt, scheduledFor, priority }, agingMsDefault)

test('the more urgent runs first, the earlier among equals', () => {
  expect(rank(noon, 10)).toBeLessThan(rank(noon, 11))
  expect(rank(noon, 50)).toBeLessThan(rank(later(1), 50))
})

test('priority 100 is overtaken for ten minutes at most', () => {
  const tenMinutesMs = 10 * 60_000
  const patient = rank(noon, priorityMax)
  expect(rank(later(tenMinutesMs - 1), 0)).toBeLessThan(patient)
  expect(rank(later(tenMinutesMs + 1), 0)).toBeGreaterThan(patient)
})

test('a scheduled job lines up at its time, one whose time is past where it was made', () => {
  expect(rank(noon, 50, later(5_000))).toBe(rank(later(5_000), 50))
  expect(rank(noon, 50, later(-5_000))).toBe(rank(noon, 50))
})

test('the rank is a whole number that a JavaScript number holds exactly', () => {
  expect(Number.isSafeInteger(rank(new Date('9999-12-31T23:59:59.999Z'), priorityMax))).toBe(true)
})
