import type { Clock } from '../../domain/ports.ts'

/** Waits `ms`, or less when `signal` aborts; resolves true when the time passed, false at once on abort. */
export type PacedWait = (ms: number, signal: AbortSignal) => Promise<boolean>

/** Waiting by the given clock, else by the machine's timers. Leaves no timer behind. */
export function pacedWait(clock: Clock | undefined): PacedWait {
  const arm = clock
    ? (ms: number, fire: () => void) => clock.at(new Date(clock.now().getTime() + ms), fire)
    : armTimer
  return (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve(false)
      if (ms <= 0) return resolve(true)
      const onAbort = () => {
        disarm()
        resolve(false)
      }
      const disarm = arm(ms, () => {
        signal.removeEventListener('abort', onAbort)
        resolve(true)
      })
      signal.addEventListener('abort', onAbort, { once: true })
    })
}

function armTimer(ms: number, fire: () => void): () => void {
  const timer = setTimeout(fire, ms)
  return () => clearTimeout(timer)
}
