import { excerptCharsMax } from '../../shared/text.ts'
import { notFound } from '../domain/errors.ts'
import { excerpt } from '../domain/prompt-text.ts'
import {
  type EventRecord,
  type JobFilter,
  type JobRecord,
  type LedgerRecord,
  readJobEvents,
  readJobs,
  readLedger,
} from '../store/jobs/read-jobs.ts'
import { type Reclaimed, reclaim } from '../store/jobs/reclaim.ts'
import { cancelWhich } from './cancel-prompt.ts'
import type { Execution } from './context.ts'
import { retryWhich } from './retry-prompt.ts'

const listRowsDefault = 50

type Timed<Row> = Omit<Row, 'at'> & { at: string }

/** A job as operators see it; times are ISO 8601. */
export interface JobRow {
  job_id: string
  prompt_id: string
  org_id: string
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
  created_at: string
  started_at: string | null
  running_heartbeat_at: string | null
  finished_at: string | null
  available_at: string
  /** The prompt's opening words; null where the prompt itself is gone. */
  prompt: string | null
}

export interface JobDetails extends JobRow {
  supersedes: string | null
  blocked_by: string | null
  hold_reason: string | null
  response_id: string | null
  options: Record<string, unknown>
  ledger: Timed<LedgerRecord>[]
  events: Timed<EventRecord>[]
}

/** Jobs of any org, newest first. Operators are not scoped by person: what they do is written to the events. */
export async function listJobs(
  execution: Execution,
  filter: Pick<JobFilter, 'state' | 'orgId' | 'since'> & { limit?: number },
): Promise<JobRow[]> {
  const { limit = listRowsDefault, ...which } = filter
  return (await readJobs(execution.database, which, limit)).map(rowOf)
}

/** One job with its finished runs and what happened to it. @throws DomainError `not_found`. */
export async function jobDetails(execution: Execution, jobId: string): Promise<JobDetails> {
  const job = await requireJob(execution, jobId)
  const { supersedes, blocked_by, hold_reason, response_id } = job
  const ledger = await readLedger(execution.database, jobId)
  const events = await readJobEvents(execution.database, jobId)
  const timed = <Row extends { at: Date }>(row: Row): Timed<Row> => ({ ...row, at: row.at.toISOString() })
  return {
    ...rowOf(job),
    supersedes,
    blocked_by,
    hold_reason,
    response_id,
    options: job.execution_options ?? {},
    ledger: ledger.map(timed),
    events: events.map(timed),
  }
}

/** @throws DomainError `not_found`, `state_conflict`. */
export async function cancelJob(execution: Execution, jobId: string, actor: string): Promise<JobRow> {
  await requireJob(execution, jobId)
  await cancelWhich(execution, { jobId }, { jobId }, actor)
  return rowOf(await requireJob(execution, jobId))
}

/** Retries the prompt of a settled job. @returns the new job. @throws DomainError `not_found`, `state_conflict`. */
export async function retryJob(execution: Execution, jobId: string, actor: string): Promise<JobRow> {
  const old = await requireJob(execution, jobId)
  await retryWhich(execution, { jobId }, old.prompt_id, actor)
  const [current] = await readJobs(execution.database, { promptId: old.prompt_id }, 1)
  if (!current) throw notFound('job')
  return rowOf(current)
}

/** Takes back every job whose lease has ended, a hundred a transaction. `formerSelf`: whatever runs at all. */
export async function reclaimStuckJobs(execution: Execution, formerSelf = false): Promise<Reclaimed> {
  const all: Reclaimed = { requeued: [], failed: [] }
  for (;;) {
    const now = execution.clock.now()
    const { deadlines, orgConcurrency } = execution.settings
    const request = { now, deadlines, orgConcurrency, formerSelf }
    const some = await execution.database.transaction((tx) => reclaim(tx, request))
    if (some.requeued.length + some.failed.length === 0) return all
    all.requeued.push(...some.requeued)
    all.failed.push(...some.failed)
  }
}

async function requireJob(execution: Execution, jobId: string): Promise<JobRecord> {
  const [job] = await readJobs(execution.database, { jobId }, 1)
  if (!job) throw notFound('job')
  return job
}

function rowOf(job: JobRecord): JobRow {
  const iso = (date: Date | null) => date?.toISOString() ?? null
  return {
    job_id: job.id,
    prompt_id: job.prompt_id,
    org_id: job.org_id,
    state: job.state,
    outcome: job.outcome,
    attempt: job.attempt,
    max_attempts: job.max_attempts,
    run: job.run,
    priority: job.priority,
    provider: job.provider,
    model: job.model,
    worker_id: job.worker_id,
    error_kind: job.error_kind,
    error_message: job.error_message,
    created_at: job.created_at.toISOString(),
    started_at: iso(job.started_at),
    running_heartbeat_at: iso(job.running_heartbeat_at),
    finished_at: iso(job.finished_at),
    available_at: job.available_at.toISOString(),
    prompt: job.text_head === null ? null : excerpt(job.text_head, excerptCharsMax),
  }
}
