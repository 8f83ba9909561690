import { describe, expect, it } from 'vitest'
import { errorKinds } from '../../shared/job.ts'
import { failure, retriedByKind } from './failure.ts'
import { backoffMs, decideRetry, type RetryFacts } from './retry-policy.ts'

const now = new Date('2026-03-12T12:00:00.000Z')
const hourMs = 60 * 60_000
const lowest = () => 0
const highest = () => 0.999_999_999

function facts(more: Partial<RetryFacts>): RetryFacts {
  return {
    failure: failure('timeout', 'Too slow.'),
    attempt: 1,
    maxAttempts: 3,
    now,
    rateLimitedSince: null,
    backoffScale: 1,
    random: lowest,
    ...more,
  }
}

const inMs = (ms: number) => new Date(now.getTime() + ms)

describe('the delay after a counted failure', () => {
  it.each([
    [1, 5_000, 10_000],
    [2, 25_000, 40_000],
    [3, 125_000, 200_000],
    [4, 600_000, 600_000],
    [5, 600_000, 600_000],
    [20, 600_000, 600_000],
  ])('of attempt %i lies between %i and %i ms', (attempt, least, most) => {
    expect(backoffMs(attempt, lowest)).toBe(least)
    expect(backoffMs(attempt, highest)).toBeGreaterThanOrEqual(most - 1)
    expect(backoffMs(attempt, highest)).toBeLessThanOrEqual(most)
  })

  it('is scaled by the setting', () => {
    const decision = decideRetry(facts({ backoffScale: 0.01 }))
    expect(decision).toEqual({ event: 'retry-later', availableAt: inMs(50) })
  })

  it('is the provider’s own word where it gave one, never scaled', () => {
    const busy = failure('provider_5xx', 'Busy.', { retryAfterMs: 7_000 })
    const decision = decideRetry(facts({ failure: busy, backoffScale: 0.01 }))
    expect(decision).toEqual({ event: 'retry-later', availableAt: inMs(7_000) })
  })
})

describe('the attempt budget', () => {
  it.each([
    [1, 3, 'retry-later'],
    [2, 3, 'retry-later'],
    [3, 3, 'fail'],
    [1, 1, 'fail'],
  ])('after attempt %i of %i decides %s', (attempt, maxAttempts, event) => {
    expect(decideRetry(facts({ attempt, maxAttempts })).event).toBe(event)
  })

  it.each(errorKinds.map((kind) => [kind, retriedByKind[kind]] as const))(
    'of a %s is tried again: %s',
    (kind, retried) => {
      const decision = decideRetry(facts({ failure: failure(kind, 'It failed.') }))
      expect(decision.event === 'fail').toBe(!retried)
    },
  )

  it('is not spent on a fault that says itself it may pass or may not', () => {
    const cut = failure('parse', 'Cut off.', { retryable: true })
    expect(decideRetry(facts({ failure: cut })).event).toBe('retry-later')
    const refused = failure('unknown', 'Never.', { retryable: false })
    expect(decideRetry(facts({ failure: refused })).event).toBe('fail')
  })
})

describe('a rate limit', () => {
  const limited = failure('rate_limit', 'Too many requests.')

  it('waits a minute, and spends no attempt even on the last one', () => {
    const decision = decideRetry(facts({ failure: limited, attempt: 3 }))
    expect(decision).toEqual({
      event: 'wait-for-provider',
      availableAt: inMs(60_000),
      rateLimitedSince: now,
    })
  })

  it('waits as long as the provider says, unscaled', () => {
    const told = failure('rate_limit', 'Too many requests.', { retryAfterMs: 90_000 })
    expect(decideRetry(facts({ failure: told, backoffScale: 0.001 }))).toMatchObject({
      availableAt: inMs(90_000),
    })
    expect(decideRetry(facts({ failure: limited, backoffScale: 0.001 }))).toMatchObject({
      availableAt: inMs(60),
    })
  })

  it('remembers since when it has been waiting', () => {
    const since = inMs(-hourMs)
    expect(decideRetry(facts({ failure: limited, rateLimitedSince: since }))).toMatchObject({
      rateLimitedSince: since,
    })
  })

  it.each([
    [24 * hourMs - 60_000, 'wait-for-provider'],
    [24 * hourMs - 59_999, 'fail'],
  ])('that has lasted %i ms decides %s: the bound is 24 hours of waiting', (waitedMs, event) => {
    const decision = decideRetry(facts({ failure: limited, rateLimitedSince: inMs(-waitedMs) }))
    expect(decision.event).toBe(event)
  })

  it('with the quota spent is the end', () => {
    const spent = failure('rate_limit', 'The quota is used up.', { retryable: false })
    expect(decideRetry(facts({ failure: spent }))).toEqual({ event: 'fail' })
  })
})
