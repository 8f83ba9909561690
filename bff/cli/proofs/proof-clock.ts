import type { Clock } from '../../domain/ports.ts'

/** A clock in a proof's hands: leases and backoffs of minutes pass at once, and exactly. */
export interface ProofClock extends Clock {
  /** Time passes, and every timer fires at its time. */
  pass(ms: number): void
  /** Time passes while the machine sleeps: no timer fires until time passes again. */
  sleep(ms: number): void
}

export function proofClock(start: Date): ProofClock {
  let nowMs = start.getTime()
  const timers = new Set<{ atMs: number; fire: () => void }>()
  const nextUntil = (untilMs: number) =>
    [...timers].filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0]
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
    pass(ms) {
      const untilMs = nowMs + ms
      for (let timer = nextUntil(untilMs); timer; timer = nextUntil(untilMs)) {
        timers.delete(timer)
        nowMs = Math.max(nowMs, timer.atMs)
        timer.fire()
      }
      nowMs = untilMs
    },
    sleep(ms) {
      nowMs += ms
    },
  }
}
