import { sql } from 'drizzle-orm'
import type { Tx } from '../database/database.ts'
import { fromStates, moment, recordMoves, toState } from './transition.ts'

/** One job that this worker may run now, and the token that proves it. */
export interface ClaimedJob {
  jobId: string
  promptId: string
  orgId: string
  owner: string
  token: string
  run: number
  attempt: number
  maxAttempts: number
  budget: string
  provider: string | null
  model: string | null
  executionOptions: Record<string, unknown>
  rateLimitedSince: Date | null
  startedAt: Date
  /** How long it had been ready and waiting. */
  queuedMs: number
}

export interface ClaimRequest {
  workerId: string
  limit: number
  now: Date
  /** Only jobs whose raw priority is at most this. */
  priorityCeiling?: number
}

/**
 * Takes the best ranked claimable jobs, at most `limit`: due, not blocked, not taken by anybody else.
 * The token is unique to this claim, since one worker may hold an old and a new claim of one job (DESIGN §5, fence).
 * Ids break ties, so that prompts of one millisecond run in the order they came.
 * `for update skip locked` lets many workers take without waiting for each other.
 */
export async function claimJobs(tx: Tx, request: ClaimRequest): Promise<ClaimedJob[]> {
  const { now } = request
  const jobs = await tx.rows<ClaimedJob>(sql`
    with best as (
      select id from job
      where state in ${fromStates('claim')} and blocked_by is null and available_at <= ${moment(now)}
        and priority <= ${request.priorityCeiling ?? 100}::int
      order by claim_rank, id limit ${request.limit}::int for update skip locked),
    moved as (
      update job j set state = ${toState('claim')}, run = j.run + 1, worker_claim = gen_random_uuid()::text,
        worker_id = ${request.workerId}, claimed_at = ${moment(now)}, started_at = ${moment(now)},
        running_heartbeat_at = ${moment(now)}, error_kind = null, error_message = null, updated_at = ${moment(now)}
      from best where j.id = best.id
      returning j.*, 'job-claimed' as event_kind,
        jsonb_build_object('from', 'queued', 'to', 'running', 'attempt', j.attempt, 'actor', j.worker_id) as event_data),
    ${recordMoves(now)}
    select id as "jobId", prompt_id as "promptId", org_id as "orgId", created_by as owner, worker_claim as token,
      run, attempt, max_attempts as "maxAttempts", budget, provider, model, execution_options as "executionOptions",
      rate_limited_since as "rateLimitedSince", started_at as "startedAt",
      greatest(0, extract(epoch from (started_at - greatest(available_at, created_at))) * 1000)::bigint as "queuedMs"
    from moved order by claim_rank, id`)
  if (jobs.length > 0) {
    tx.signal({ topic: 'events' })
    tx.signal({ topic: 'deadlines' })
  }
  return jobs
}
