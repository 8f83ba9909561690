import type { Clock } from '../../domain/ports.ts'

/** A clock that stands still until it is advanced; timers fire in the order of their times. */
export interface TestClock extends Clock {
  advance(ms: number): void
  /** How many timers are armed: none may be left behind by an idle component. */
  readonly armed: number
}

export function testClock(start = new Date('2026-03-12T12:00:00.000Z')): TestClock {
  let nowMs = start.getTime()
  const timers = new Set<{ atMs: number; fire: () => void }>()
  const dueFirst = (untilMs: number) =>
    [...timers].filter((timer) => timer.atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0]
  return {
    now: () => new Date(nowMs),
    at(at, fire) {
      const timer = { atMs: at.getTime(), fire }
      timers.add(timer)
      if (timer.atMs <= nowMs) queueMicrotask(() => timers.delete(timer) && fire())
      return () => {
        timers.delete(timer)
      }
    },
    advance(ms) {
      const untilMs = nowMs + ms
      for (let timer = dueFirst(untilMs); timer; timer = dueFirst(untilMs)) {
        timers.delete(timer)
        nowMs = Math.max(nowMs, timer.atMs)
        timer.fire()
      }
      nowMs = untilMs
    },
    get armed() {
      return timers.size
    },
  }
}
