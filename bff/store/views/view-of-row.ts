import type { PromptView } from '../../../shared/prompt-view.ts'
import { promptView } from '../../../shared/prompt-view.ts'
import { excerptCharsMax } from '../../../shared/text.ts'
import { excerpt } from '../../domain/prompt-text.ts'
import { type PlannedRow, plannedFactsOfRow } from './planned-facts-of-row.ts'
import { type WaitingRow, waitReasonOfRow } from './wait-reason-of-row.ts'

/** One row of the statement in `read-views.ts`. */
export interface ViewRow extends WaitingRow, PlannedRow {
  id: string
  org_id: string
  created_by: string
  revision: number
  deleted: boolean
  parent_id: string | null
  correlation_id: string
  verdict: string | null
  created_at: Date
  updated_at: Date
  text_head: string
  job_id: string
  attempt: number
  max_attempts: number
  priority: number
  error_message: string | null
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
    wait_reason: waitReasonOfRow(row),
    response_id: row.response_id,
    parent_id: row.parent_id,
    correlation_id: row.correlation_id,
    thread_title: row.deleted ? '' : (row.thread_title ?? excerpt(row.text_head, 80)),
    context_ids: row.context_ids,
    verdict: row.verdict,
    truncated: answered && row.answer_meta?.finish_reason === 'length',
    promoted: row.promoted,
    practice: row.provider === 'practice',
    provider: row.provider,
    model: (answered ? row.answer_meta?.model : null) ?? row.model,
    tokens: answered ? (row.answer_meta?.output_tokens ?? null) : null,
    soft_review_at: iso(row.soft_review_at),
    started_at: iso(row.started_at),
    finished_at: iso(row.finished_at),
    budget: row.budget,
    expected_ms: null,
    ...plannedFactsOfRow(row),
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
    deleted: row.deleted,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    earlier_jobs: (row.earlier_jobs ?? []).map((job) => ({ ...job, at: new Date(job.at).toISOString() })),
    text_excerpt: row.deleted ? '' : excerpt(row.text_head, excerptCharsMax),
    answer_excerpt:
      row.deleted || row.answer_head === null ? null : excerpt(row.answer_head, excerptCharsMax),
  })
}

function iso(date: Date | null): string | null {
  return date?.toISOString() ?? null
}
