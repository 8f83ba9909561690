import type { Failure } from './failure.ts'

const secondMs = 1_000
const rateLimitDefaultMs = 60 * secondMs
const rateLimitWaitMaxMs = 24 * 60 * 60 * secondMs
const backoffMaxMs = 10 * 60 * secondMs

export interface RetryFacts {
  failure: Failure
  /** The attempt that just failed, from 1. */
  attempt: number
  maxAttempts: number
  now: Date
  /** Since when this job has been waiting for rate limits without a break, null when it has not. */
  rateLimitedSince: Date | null
  /** Shrinks our own delays in tests (`MISSION_BACKOFF_SCALE`); a provider's word is never scaled. */
  backoffScale: number
  /** Uniform in [0, 1). */
  random: () => number
}

/** `retry-later` spends an attempt, `wait-for-provider` does not, `fail` ends the job. */
export type RetryDecision =
  | { event: 'retry-later'; availableAt: Date }
  | { event: 'wait-for-provider'; availableAt: Date; rateLimitedSince: Date }
  | { event: 'fail' }

/** What becomes of a job whose attempt failed (DESIGN §5, failure kinds and delays). */
export function decideRetry(facts: RetryFacts): RetryDecision {
  const { failure, now } = facts
  if (!failure.retryable) return { event: 'fail' }
  if (failure.kind === 'rate_limit') return decideRateLimit(facts)
  if (facts.attempt >= facts.maxAttempts) return { event: 'fail' }
  const delayMs = failure.retryAfterMs ?? backoffMs(facts.attempt, facts.random) * facts.backoffScale
  return { event: 'retry-later', availableAt: new Date(now.getTime() + delayMs) }
}

/**
 * The delay after a failed `attempt` in ms: 5 s + rand 5 s, then 25 s + rand 15 s, then five times as long each
 * time, 10 min at most. The random part keeps many failed together from coming back together.
 */
export function backoffMs(attempt: number, random: () => number): number {
  if (attempt <= 1) return 5 * secondMs + random() * 5 * secondMs
  const factor = 5 ** (attempt - 2)
  return Math.min(backoffMaxMs, (25 * secondMs + random() * 15 * secondMs) * factor)
}

function decideRateLimit(facts: RetryFacts): RetryDecision {
  const since = facts.rateLimitedSince ?? facts.now
  const delayMs = facts.failure.retryAfterMs ?? rateLimitDefaultMs * facts.backoffScale
  const availableAt = new Date(facts.now.getTime() + delayMs)
  if (availableAt.getTime() - since.getTime() > rateLimitWaitMaxMs) return { event: 'fail' }
  return { event: 'wait-for-provider', availableAt, rateLimitedSince: since }
}
