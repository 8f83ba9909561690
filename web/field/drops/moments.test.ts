import { describe, expect, it } from 'vitest'
import type { JobState } from '../../../shared/job.ts'
import type { PromptView } from '../../../shared/prompt-view.ts'
import { momentOf } from './moments.ts'

const view = (state: JobState): PromptView => ({
  prompt_id: 'p',
  job_id: 'j',
  state,
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
  correlation_id: 'p',
  thread_title: 'A',
  context_ids: [],
  verdict: null,
  truncated: false,
  promoted: false,
  practice: false,
  model: null,
  tokens: null,
  soft_review_at: null,
  started_at: null,
  finished_at: null,
  budget: 'unknown',
  expected_ms: null,
  scheduled_for: null,
  batch_id: null,
  external: null,
  seen: false,
  created_at: '2026-03-12T12:00:00.000Z',
  updated_at: '2026-03-12T12:00:00.000Z',
  earlier_jobs: [],
  text_excerpt: 'A',
  answer_excerpt: null,
})

describe('a moment', () => {
  it.each<[JobState | null, JobState, string | null]>([
    ['running', 'succeeded', 'settled'],
    ['queued', 'succeeded', 'settled'],
    ['running', 'failed', 'failed'],
    ['running', 'cancelled', null],
    ['succeeded', 'succeeded', null],
    [null, 'succeeded', null],
  ])('from %s to %s is %s', (before, after, moment) => {
    expect(momentOf(before === null ? undefined : view(before), view(after))).toBe(moment)
  })
})
