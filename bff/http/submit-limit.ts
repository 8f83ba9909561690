import { DomainError } from '../domain/errors.ts'
import type { Clock } from '../domain/ports.ts'

export interface SubmitLimit {
  /** @throws DomainError `too_many_requests`, with the seconds after which the next one is accepted. */
  take(session: string): void
}

const minuteMs = 60_000
const sweepAbove = 1_000

/**
 * So many submits a minute and session: all of them at once if need be, then evenly, so that whoever waits as long
 * as it is told is accepted. Kept as one number a session, the time at which its allowance is whole again.
 */
export function createSubmitLimit(perMinute: number, clock: Clock): SubmitLimit {
  const eachMs = minuteMs / perMinute
  const wholeAt = new Map<string, number>()
  return {
    take(session) {
      const now = clock.now().getTime()
      if (wholeAt.size > sweepAbove) forgetWhole(wholeAt, now)
      const next = Math.max(wholeAt.get(session) ?? 0, now) + eachMs
      // Half a millisecond for what summing fractions of a minute loses.
      const waitMs = next - now - minuteMs - 0.5
      if (waitMs > 0) throw tooMany(perMinute, Math.ceil(waitMs / 1000))
      wholeAt.set(session, next)
    },
  }
}

function forgetWhole(wholeAt: Map<string, number>, now: number): void {
  for (const [session, at] of wholeAt) if (at <= now) wholeAt.delete(session)
}

function tooMany(perMinute: number, retryAfterSeconds: number): DomainError {
  return new DomainError(
    'too_many_requests',
    `At most ${perMinute} prompts a minute are accepted; try again in ${retryAfterSeconds} s.`,
    { retryAfterSeconds },
  )
}
