import type { CallLimits } from '../../domain/ports.ts'

/** Which of our limits ended a call. */
export type Overrun = 'first-token' | 'silence' | 'total'

export interface CallTimers {
  /** A token came, of the answer or of its reasoning. */
  token(): void
  stop(): void
}

/** `setTimeout` fires at once for anything longer. */
const timerMaxMs = 2_147_483_647

/**
 * Watches one call: nothing before the first token, no silence between tokens, no end in all. Calls `overrun` at most
 * once. Keep-alive comments of a stream are no tokens.
 */
export function startCallTimers(limits: CallLimits, overrun: (limit: Overrun) => void): CallTimers {
  const stop = () => {
    clearTimeout(total)
    clearTimeout(silence)
  }
  const arm = (ms: number, limit: Overrun) =>
    setTimeout(
      () => {
        stop()
        overrun(limit)
      },
      Math.min(ms, timerMaxMs),
    )
  const total = arm(limits.totalMs, 'total')
  let silence = arm(limits.firstTokenMs, 'first-token')
  let talking = false
  return {
    stop,
    token: () => {
      if (talking) {
        silence.refresh()
        return
      }
      talking = true
      clearTimeout(silence)
      silence = arm(limits.silenceMs, 'silence')
    },
  }
}
