import type { PageClock } from '../clock.ts'

export interface ManualClock extends PageClock {
  /** Lets time pass; timers fire in order, and what they started goes on in between. */
  advance(ms: number): Promise<void>
  /** Time passes, but no timer fires until `advance`: the machine sleeps. */
  sleep(ms: number): void
  /** Timers that are armed. */
  armed(): number
}

export function createManualClock(startMs = Date.parse('2026-03-01T09:00:00.000Z')): ManualClock {
  const timers = new Set<{ atMs: number; fire: () => void }>()
  let nowMs = startMs
  return {
    now: () => nowMs,
    after(delayMs, fire) {
      const timer = { atMs: nowMs + delayMs, fire }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    async advance(ms) {
      const endMs = nowMs + ms
      await settled()
      for (;;) {
        const due = [...timers].filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0]
        if (due === undefined) break
        timers.delete(due)
        nowMs = Math.max(nowMs, due.atMs)
        due.fire()
        await settled()
      }
      nowMs = endMs
    },
    sleep(ms) {
      nowMs += ms
    },
    armed: () => timers.size,
  }
}

/** Everything that was started and waits for nothing but promises has gone on. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** Waits until something holds, such as the end of a transaction of the browser's store. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 1_000; turn++) {
    if (await holds()) return
    await settled()
  }
  throw new Error('it never came to hold')
}
