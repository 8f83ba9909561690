import { type SQL, sql } from 'drizzle-orm'
import { moment } from './transition.ts'

/** How one run ended, as the ledger keeps it. Times in ms; null where unknown. */
export interface LedgerEntry {
  counted: boolean
  provider: string | null
  model: string | null
  adapterRequestId: string | null
  inputTokens: number | null
  outputTokens: number | null
  finishReason: string | null
  queuedMs: number | null
  firstTokenMs: number | null
  errorKind: string | null
  errorMessage: string | null
}

/**
 * CTEs `kept` and `cleared`: the ledger row of a run that `moved` ended, and its drafts taken away. On anything but
 * success the text received so far is kept in the row as partial text; the statement sees drafts as they were before it.
 * A ledger row that exists is left as it is. `attempt` is the run's own: `moved` may have raised the job's already.
 */
export function recordRun(
  entry: LedgerEntry,
  run: { attempt: number; startedAt: Date; keepPartial: boolean },
  now: Date,
): SQL {
  const partial = run.keepPartial
    ? sql`(select nullif(string_agg(d.text, '' order by d.seq), '') from draft d where d.job_id = m.id and d.run = m.run)`
    : sql`null::text`
  const runMs = Math.max(0, now.getTime() - run.startedAt.getTime())
  return sql`
    kept as (
      insert into ledger (job_id, run, attempt, counted, provider, model, adapter_request_id, input_tokens,
        output_tokens, finish_reason, queued_ms, first_token_ms, run_ms, error_kind, error_message, partial_text, at)
      select m.id, m.run, ${run.attempt}::int, ${entry.counted}::boolean, ${entry.provider}, ${entry.model},
        ${entry.adapterRequestId}, ${entry.inputTokens}::int, ${entry.outputTokens}::int, ${entry.finishReason},
        ${entry.queuedMs}::bigint, ${entry.firstTokenMs}::bigint, ${runMs}::bigint, ${entry.errorKind},
        ${entry.errorMessage}, ${partial}, ${moment(now)}
      from moved m on conflict do nothing returning job_id),
    cleared as (delete from draft d using moved m where d.job_id = m.id returning d.job_id)`
}

/** The same for runs whose holder is gone: reclaim and cancel know only what the row says. */
export function recordLostRuns(errorKind: SQL, counted: boolean, now: Date): SQL {
  return sql`
    kept as (
      insert into ledger (job_id, run, attempt, counted, provider, model, run_ms, error_kind, partial_text, at)
      select b.id, b.run, b.attempt, ${counted}::boolean, b.provider, b.model,
        greatest(0, extract(epoch from (${moment(now)} - b.started_at)) * 1000)::bigint, ${errorKind},
        (select nullif(string_agg(d.text, '' order by d.seq), '') from draft d where d.job_id = b.id and d.run = b.run),
        ${moment(now)}
      from ended b on conflict do nothing returning job_id),
    cleared as (delete from draft d using ended b where d.job_id = b.id returning d.job_id)`
}
