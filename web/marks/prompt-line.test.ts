import { describe, expect, it } from 'vitest'
import { verdicts } from '../../shared/entity.ts'
import { errorKinds } from '../../shared/job.ts'
import type { PromptView } from '../../shared/prompt-view.ts'
import type { WaitReason } from '../../shared/wait-reason.ts'
import { lookOf } from './look-of.ts'
import { type LineContext, promptLine, promptLineText } from './prompt-line.ts'
import { failureSentence, failureWords, stateWords, verdictWords } from './state-words.ts'
import { waitText } from './wait-words.ts'

const nowMs = Date.parse('2026-03-12T15:04:00Z')
const other = '018f0000-0000-7000-8000-000000000001'

const settled: PromptView = {
  prompt_id: other,
  job_id: other,
  state: 'succeeded',
  revision: 1,
  attempt: 1,
  max_attempts: 3,
  priority: 50,
  error_kind: null,
  error_message: null,
  retry_at: null,
  wait_reason: null,
  response_id: null,
  parent_id: null,
  correlation_id: other,
  thread_title: '',
  context_ids: [],
  verdict: null,
  truncated: false,
  promoted: false,
  practice: false,
  provider: null,
  model: null,
  tokens: null,
  soft_review_at: null,
  started_at: '2026-03-12T13:50:22Z',
  finished_at: '2026-03-12T13:51:00Z',
  budget: 'unknown',
  expected_ms: null,
  scheduled_for: null,
  time_zone: null,
  time_in_gap: null,
  late_ms: null,
  schedule_id: null,
  batch_id: null,
  external: null,
  seen: true,
  deleted: false,
  created_at: '2026-03-12T13:50:00Z',
  updated_at: '2026-03-12T13:51:00Z',
  earlier_jobs: [],
  text_excerpt: '',
  answer_excerpt: null,
}

function lineOf(facts: Partial<PromptView>, context: Partial<LineContext> = {}) {
  const view = { ...settled, ...facts }
  const whole: LineContext = { timeZone: 'UTC', nowMs, ...context }
  return promptLineText(promptLine(view, lookOf(view, whole), whole)).replaceAll('\u00a0', ' ')
}

describe('promptLine', () => {
  const external = {
    backend: 'slurm',
    id: '4711',
    status: 'RUNNING',
    reason: null,
    since: '2026-03-12T12:50:00Z',
  }
  it.each<[string, Partial<PromptView>, Partial<LineContext>]>([
    ['answered · 38 s', {}, {}],
    ['answered · confirmed', { verdict: 'confirmed' }, {}],
    ['new · answered 13:51', { seen: false }, {}],
    ['new · promoted', { seen: false, promoted: true }, {}],
    ['promoted · grounds 2', { promoted: true }, { grounds: 2 }],
    ['promoted · confirmed', { promoted: true, verdict: 'confirmed' }, {}],
    ['answered, cut at the limit', { truncated: true }, {}],
    ['Waiting · 3rd in line', { state: 'queued', wait_reason: { code: 'in_line' } }, { place: 3 }],
    ['Answering · 412 tokens', { state: 'running' }, { liveTokens: 412 }],
    ['Answering', { state: 'running' }, {}],
    ['Waiting on slurm 4711, running 2 h 14 min', { state: 'running', external }, {}],
    [
      'Taking longer than usual · 1 h 13 min',
      { state: 'running', soft_review_at: '2026-03-12T15:00:00Z' },
      {},
    ],
    [
      'Failed · the provider refused the key. Renew it, then retry.',
      { state: 'failed', error_kind: 'auth' },
      {},
    ],
    ['cancelled 13:51', { state: 'cancelled' }, {}],
    ['replaced 13:51 by a retry', { state: 'superseded' }, {}],
    ['Kept here, not sent yet', { state: 'queued' }, { unsent: true }],
  ])('%s', (line, facts, context) => {
    expect(lineOf(facts, context)).toBe(line)
  })
})

describe('words', () => {
  it('exist for every shape, failure and verdict', () => {
    for (const { word } of Object.values(stateWords)) expect(word).not.toBe('')
    expect(Object.keys(failureWords).sort()).toEqual([...errorKinds].sort())
    expect(Object.keys(verdictWords).sort()).toEqual([...verdicts].sort())
  })

  it('say of a failure what happened and what helps', () => {
    for (const kind of errorKinds) expect(failureSentence(kind)).toMatch(/^[a-z].+\. [A-Z].+\.$/)
    expect(failureSentence(null)).toBe(failureSentence('unknown'))
  })

  it.each<[WaitReason | null, string]>([
    [null, 'in line'],
    [{ code: 'in_line' }, 'in line'],
    [{ code: 'scheduled', at: '2026-03-12T18:00:00Z' }, 'at 18:00'],
    [{ code: 'scheduled', at: '2026-03-13T07:00:00Z' }, 'at Fri 07:00'],
    [{ code: 'backoff', at: '2026-03-12T15:04:08Z' }, 'tries again, about 8 s'],
    [{ code: 'rate_limit', provider: 'x', until: '2026-03-12T15:24:00Z' }, 'for x until 15:24'],
    [{ code: 'rate_limit', provider: 'x', until: '2026-03-12T15:04:38Z' }, 'for x until 15:04:38'],
    [{ code: 'rate_limit', provider: 'x', until: '2026-03-12T15:03:38Z' }, 'for x, any moment now'],
    [{ code: 'after', prompt_id: other }, 'after “\u2068Compare…\u2069”'],
    [{ code: 'held', prompt_id: other, cause: 'failed' }, 'held, “\u2068Compare…\u2069” failed'],
    [{ code: 'held', prompt_id: other, cause: 'cancelled' }, 'held, “\u2068Compare…\u2069” was cancelled'],
    [{ code: 'org_limit' }, 'all places are taken'],
    [{ code: 'scheduler', backend: 'slurm', reason: 'Priority' }, 'in the queue of slurm, Priority'],
  ])('say why it waits: %j', (reason, words) => {
    const context = { timeZone: 'UTC', nowMs, titleOf: () => 'Compare…' }
    expect(waitText(reason, context).replaceAll('\u00a0', ' ')).toBe(words)
  })

  it('call a prompt that is not known another one', () => {
    expect(waitText({ code: 'after', prompt_id: other }, { timeZone: 'UTC', nowMs })).toBe(
      'after another prompt',
    )
  })
})
