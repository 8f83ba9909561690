import { type SQL, sql } from 'drizzle-orm'
import type { Queryable } from '../database/database.ts'
import { moment } from './transition.ts'

/** A job as operators see it. */
export interface JobRecord {
  id: string
  prompt_id: string
  org_id: string
  created_by: string
  state: string
  outcome: string | null
  attempt: number
  max_attempts: number
  run: number
  priority: number
  provider: string | null
  model: string | null
  worker_id: string | null
  error_kind: string | null
  error_message: string | null
  supersedes: string | null
  blocked_by: string | null
  hold_reason: string | null
  response_id: string | null
  execution_options: Record<string, unknown> | null
  created_at: Date
  claimed_at: Date | null
  started_at: Date | null
  running_heartbeat_at: Date | null
  finished_at: Date | null
  available_at: Date
  /** The opening of the prompt; null where the prompt itself is gone, which must not hide the job. */
  text_head: string | null
}

/** Which jobs to list; what is left out is not asked for. */
export interface JobFilter {
  jobId?: string
  /** The current job of a prompt. */
  promptId?: string
  state?: string
  orgId?: string
  since?: Date
}

/** The jobs that match, newest first. */
export async function readJobs(queryable: Queryable, filter: JobFilter, limit: number): Promise<JobRecord[]> {
  return queryable.rows<JobRecord>(sql`
    select j.id, j.prompt_id, j.org_id, j.created_by, j.state, j.outcome, j.attempt, j.max_attempts, j.run, j.priority,
      j.provider, j.model, j.worker_id, j.error_kind, j.error_message, j.supersedes, j.blocked_by, j.hold_reason,
      j.response_id, j.execution_options, j.created_at, j.claimed_at, j.started_at, j.running_heartbeat_at,
      j.finished_at, j.available_at, left(p.body, 400) as text_head
    from job j left join entity p on p.id = j.prompt_id
    where ${matching(filter)} order by j.created_at desc, j.id desc limit ${limit}::int`)
}

/** One row of the ledger as operators and the trace see it. */
export interface LedgerRecord {
  run: number
  attempt: number
  counted: boolean
  provider: string | null
  model: string | null
  adapter_request_id: string | null
  input_tokens: number | null
  output_tokens: number | null
  finish_reason: string | null
  queued_ms: number | null
  first_token_ms: number | null
  run_ms: number | null
  error_kind: string | null
  error_message: string | null
  at: Date
}

/** The finished runs of a job, in order. */
export async function readLedger(queryable: Queryable, jobId: string): Promise<LedgerRecord[]> {
  return queryable.rows<LedgerRecord>(sql`
    select run, attempt, counted, provider, model, adapter_request_id, input_tokens, output_tokens, finish_reason,
      queued_ms, first_token_ms, run_ms, error_kind, error_message, at
    from ledger where job_id = ${jobId}::uuid order by run`)
}

export interface EventRecord {
  seq: number
  kind: string
  run: number | null
  data: Record<string, unknown>
  at: Date
}

/** What happened to a job, in order. */
export async function readJobEvents(queryable: Queryable, jobId: string): Promise<EventRecord[]> {
  return queryable.rows<EventRecord>(sql`
    select seq, kind, run, data, at from event where job_id = ${jobId}::uuid and prompt_id =
      (select prompt_id from job where id = ${jobId}::uuid) order by seq`)
}

function matching(filter: JobFilter): SQL {
  const conditions = [sql`true`]
  if (filter.jobId) conditions.push(sql`j.id = ${filter.jobId}::uuid`)
  if (filter.promptId)
    conditions.push(sql`j.prompt_id = ${filter.promptId}::uuid and j.state <> 'superseded'`)
  if (filter.state) conditions.push(sql`j.state = ${filter.state}`)
  if (filter.orgId) conditions.push(sql`j.org_id = ${filter.orgId}::uuid`)
  if (filter.since) conditions.push(sql`j.created_at >= ${moment(filter.since)}`)
  return sql.join(conditions, sql` and `)
}
