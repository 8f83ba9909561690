import type { PromptView } from '../../../shared/prompt-view.ts'
import { promptView } from '../../../shared/prompt-view.ts'
import { excerptCharsMax } from '../../../shared/text.ts'
import type { WaitReason } from '../../../shared/wait-reason.ts'
import { excerpt } from '../../domain/prompt-text.ts'

/** One row of the statement in `read-views.ts`. */
export interface ViewRow {
  id: string
  org_id: string
  created_by: string
  revision: number
  parent_id: string | null
  correlation_id: string
  verdict: string | null
  created_at: Date
  updated_at: Date
  text_head: string
  job_id: string
  state: string
  attempt: number
  max_attempts: number
  priority: number
  error_kind: string | null
  error_message: string | null
  available_at: Date
  scheduled_for: Date | null
  rate_limited_since: Date | null
  blocked_by: string | null
  hold_reason: string | null
  run: number
  provider: string | null
  model: string | null
  budget: string
  soft_review_at: Date | null
  started_at: Date | null
  finished_at: Date | null
  batch_id: string | null
  response_id: string | null
  answer_head: string | null
  answer_meta: AnswerMeta | null
  promoted: boolean
  thread_title: string | null
  seen: boolean
  external_backend: string | null
  external_id: string | null
  external_status: string | null
  external_reason: string | null
  external_since: Date | null
  context_ids: string[]
  earlier_jobs: { job_id: string; outcome: string; at: number }[] | null
}

/** What a response's `meta` says of it; written by `settle-success.ts`. */
export interface AnswerMeta {
  finish_reason?: string
  model?: string
  practice?: boolean
  output_tokens?: number | null
}

/** The row as the contract has it; the schema's CHECKs and this parse keep each other honest. */
export function viewOfRow(row: ViewRow): PromptView {
  const answered = row.state === 'succeeded'
  return promptView.parse({
    prompt_id: row.id,
    job_id: row.job_id,
    state: row.state,
    revision: row.revision,
    attempt: row.attempt,
    max_attempts: row.max_attempts,
    priority: row.priority,
    error_kind: row.error_kind,
    error_message: row.error_message,
    retry_at: row.state === 'queued' && row.error_kind ? row.available_at.toISOString() : null,
    wait_reason: waitReasonOf(row),
    response_id: row.response_id,
    parent_id: row.parent_id,
    correlation_id: row.correlation_id,
    thread_title: row.thread_title ?? excerpt(row.text_head, 80),
    context_ids: row.context_ids,
    verdict: row.verdict,
    truncated: answered && row.answer_meta?.finish_reason === 'length',
    promoted: row.promoted,
    practice: row.provider === 'practice',
    model: (answered ? row.answer_meta?.model : null) ?? row.model,
    tokens: answered ? (row.answer_meta?.output_tokens ?? null) : null,
    soft_review_at: iso(row.soft_review_at),
    started_at: iso(row.started_at),
    finished_at: iso(row.finished_at),
    budget: row.budget,
    expected_ms: null,
    scheduled_for: iso(row.scheduled_for),
    batch_id: row.batch_id,
    external: row.external_backend
      ? {
          backend: row.external_backend,
          id: row.external_id,
          status: row.external_status,
          reason: row.external_reason,
          since: iso(row.external_since),
        }
      : null,
    seen: row.seen,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    earlier_jobs: (row.earlier_jobs ?? []).map((job) => ({ ...job, at: new Date(job.at).toISOString() })),
    text_excerpt: excerpt(row.text_head, excerptCharsMax),
    answer_excerpt: row.answer_head === null ? null : excerpt(row.answer_head, excerptCharsMax),
  })
}

/** Only what the row itself says, and nothing of the present moment: two readings of one revision must agree. */
function waitReasonOf(row: ViewRow): WaitReason | null {
  if (row.state !== 'queued') return null
  const availableAt = row.available_at.toISOString()
  if (row.blocked_by && (row.hold_reason === 'failed' || row.hold_reason === 'cancelled')) {
    return { code: 'held', prompt_id: row.blocked_by, cause: row.hold_reason }
  }
  if (row.blocked_by) return { code: 'after', prompt_id: row.blocked_by }
  // A claim clears the error and keeps since when it waits: afterwards the limit is no reason any more.
  if (row.rate_limited_since && row.error_kind === 'rate_limit') {
    return { code: 'rate_limit', provider: row.provider ?? 'unknown', until: availableAt }
  }
  if (row.error_kind && row.error_kind !== 'worker_crash') return { code: 'backoff', at: availableAt }
  if (row.scheduled_for && row.run === 0) return { code: 'scheduled', at: row.scheduled_for.toISOString() }
  return { code: 'in_line' }
}

function iso(date: Date | null): string | null {
  return date?.toISOString() ?? null
}
