import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { systemClock } from './system-clock.ts'

const dayMs = 86_400_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function inMs(ms: number): Date {
  return new Date(Date.now() + ms)
}

test('a time beyond the 24.8 days of one timer fires then, not at once', () => {
  const fire = vi.fn()
  systemClock.at(inMs(60 * dayMs), fire)
  vi.advanceTimersByTime(60 * dayMs - 1)
  expect(fire).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(fire).toHaveBeenCalledTimes(1)
})

test('a disarmed time never fires, also when its first timer has passed', () => {
  const fire = vi.fn()
  const disarm = systemClock.at(inMs(60 * dayMs), fire)
  vi.advanceTimersByTime(30 * dayMs)
  disarm()
  vi.advanceTimersByTime(60 * dayMs)
  expect(fire).not.toHaveBeenCalled()
  expect(vi.getTimerCount()).toBe(0)
})

test('a past time fires once and never inside the call', () => {
  const fire = vi.fn()
  systemClock.at(inMs(-dayMs), fire)
  expect(fire).not.toHaveBeenCalled()
  vi.advanceTimersByTime(0)
  expect(fire).toHaveBeenCalledTimes(1)
})

test('a clock that is set back does not fire early', () => {
  const fire = vi.fn()
  systemClock.at(inMs(1_000), fire)
  vi.setSystemTime(Date.now() - 5_000)
  vi.advanceTimersByTime(1_000)
  expect(fire).not.toHaveBeenCalled()
  vi.advanceTimersByTime(5_000)
  expect(fire).toHaveBeenCalledTimes(1)
})
