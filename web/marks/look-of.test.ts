import { describe, expect, it } from 'vitest'
import { jobStates } from '../../shared/job.ts'
import type { WaitReason } from '../../shared/wait-reason.ts'
import { type LookFacts, type LookNow, lookOf } from './look-of.ts'

const nowMs = Date.parse('2026-03-12T15:04:00Z')
const past = '2026-03-12T15:00:00Z'
const future = '2026-03-12T15:09:00Z'
const external = { backend: 'slurm', id: '4711', status: 'running', reason: null, since: past }
const other = '018f0000-0000-7000-8000-000000000001'

function lookAs(facts: Partial<LookFacts>, now: Partial<LookNow> = {}) {
  const view: LookFacts = {
    state: 'succeeded',
    soft_review_at: null,
    external: null,
    truncated: false,
    promoted: false,
    seen: true,
    verdict: null,
    wait_reason: null,
    ...facts,
  }
  return lookOf(view, { nowMs, ...now })
}

describe('lookOf', () => {
  it.each<[string, Partial<LookFacts>, string, string]>([
    ['succeeded, seen', {}, 'settled', ''],
    ['succeeded, unseen', { seen: false }, 'new', 'is-new'],
    ['queued', { state: 'queued' }, 'queued', 'is-queued'],
    ['running', { state: 'running' }, 'pending', 'is-pending'],
    ['running, review to come', { state: 'running', soft_review_at: future }, 'pending', 'is-pending'],
    ['external', { state: 'running', external }, 'external', 'is-pending is-external'],
    ['soft review', { state: 'running', soft_review_at: past }, 'review', 'is-pending is-review'],
    ['failed', { state: 'failed' }, 'orphan', 'is-orphan'],
    ['cancelled', { state: 'cancelled' }, 'cancelled', 'is-cancelled'],
    ['superseded', { state: 'superseded' }, 'superseded', 'is-superseded'],
    ['truncated', { truncated: true }, 'truncated', 'is-truncated'],
    ['promoted', { promoted: true }, 'promoted', 'is-promoted'],
  ])('%s', (_, facts, disc, className) => {
    expect(lookAs(facts)).toMatchObject({ disc, className })
  })

  it('has a look for every state', () => {
    for (const state of jobStates) expect(lookAs({ state }).disc).toBeTruthy()
  })

  it('takes the first that holds: unsent, failed, review, running, queued, cancelled, truncated, new, promoted', () => {
    expect(lookAs({ state: 'failed' }, { unsent: true }).className).toBe('is-unsent')
    expect(lookAs({ state: 'failed', soft_review_at: past, seen: false, promoted: true }).className).toBe(
      'is-orphan',
    )
    expect(lookAs({ state: 'running', soft_review_at: past, external }).disc).toBe('review')
    expect(lookAs({ state: 'queued', soft_review_at: past }).disc).toBe('queued')
    expect(lookAs({ state: 'cancelled', seen: false, truncated: true }).className).toBe('is-cancelled')
    expect(lookAs({ truncated: true, seen: false, promoted: true }).disc).toBe('truncated')
  })

  it('lets a new promoted answer keep its anchor and take the bold title', () => {
    expect(lookAs({ seen: false, promoted: true })).toMatchObject({
      disc: 'promoted',
      className: 'is-new is-promoted',
    })
  })

  it('never hides a verdict', () => {
    for (const facts of [{}, { seen: false }, { truncated: true }, { promoted: true }])
      expect(lookAs({ ...facts, verdict: 'refuted' }).verdict).toBe('refuted')
  })

  it.each<[WaitReason | null, number | undefined, ReturnType<typeof lookAs>['wait']]>([
    [null, undefined, null],
    [{ code: 'in_line' }, 3, { kind: 'line', place: 3 }],
    [{ code: 'org_limit' }, 41, { kind: 'line', place: 41 }],
    [{ code: 'scheduled', at: future }, 3, { kind: 'clock' }],
    [{ code: 'backoff', at: future }, 3, { kind: 'clock' }],
    [{ code: 'rate_limit', provider: 'x', until: future }, 3, { kind: 'clock' }],
    [{ code: 'scheduler', backend: 'slurm', reason: 'Priority' }, 3, { kind: 'clock' }],
    [{ code: 'after', prompt_id: other }, 3, { kind: 'after' }],
    [{ code: 'held', prompt_id: other, cause: 'failed' }, 3, { kind: 'after' }],
  ])('says in the ring why it waits: %j', (waitReason, place, wait) => {
    expect(lookAs({ state: 'queued', wait_reason: waitReason }, { place }).wait).toEqual(wait)
  })

  it('prefers the reason joined from gates and queue', () => {
    const gate: WaitReason = { code: 'rate_limit', provider: 'x', until: future }
    expect(
      lookAs({ state: 'queued', wait_reason: { code: 'in_line' } }, { waitReason: gate, place: 2 }).wait,
    ).toEqual({
      kind: 'clock',
    })
  })
})
