import type { PromptView } from '../../../shared/prompt-view.ts'

/** A uuid that is easily told apart: `idOf(7)` is `00000000-0000-7000-8000-000000000007`. */
export function idOf(number: number): string {
  return `00000000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`
}

/** A prompt as the server would tell of it: waiting, at revision 1, a thread of its own, unless said otherwise. */
export function makeView(number: number, over: Partial<PromptView> = {}): PromptView {
  const promptId = idOf(number)
  const createdAt = new Date(Date.parse('2026-03-01T08:00:00.000Z') + number * 1000).toISOString()
  return {
    prompt_id: promptId,
    job_id: idOf(number + 0x1000),
    state: 'queued',
    revision: 1,
    attempt: 1,
    max_attempts: 3,
    priority: 50,
    error_kind: null,
    error_message: null,
    retry_at: null,
    wait_reason: over.state === undefined || over.state === 'queued' ? { code: 'in_line' } : null,
    response_id: null,
    parent_id: null,
    correlation_id: promptId,
    thread_title: `prompt ${number}`,
    context_ids: [],
    verdict: null,
    truncated: false,
    promoted: false,
    practice: false,
    provider: null,
    model: null,
    tokens: null,
    soft_review_at: null,
    started_at: null,
    finished_at: over.state === 'succeeded' || over.state === 'failed' ? createdAt : null,
    budget: 'unknown',
    expected_ms: null,
    scheduled_for: null,
    time_zone: null,
    time_in_gap: null,
    late_ms: null,
    schedule_id: null,
    batch_id: null,
    external: null,
    seen: false,
    deleted: false,
    created_at: createdAt,
    updated_at: createdAt,
    earlier_jobs: [],
    text_excerpt: `text ${number}`,
    answer_excerpt: null,
    ...over,
  }
}
