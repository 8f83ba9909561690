import { sql } from 'drizzle-orm'
import type { Tx } from '../database/database.ts'
import { gateLets } from '../permits/ready-job.ts'
import { tellMove } from './tell-moves.ts'
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
  permit: number | null
  /** The prompt's own text when it continues nothing, which is all that there is to know of it then; else null. */
  rootText: string | null
}

export interface ClaimRequest {
  workerId: string
  limit: number
  now: Date
  /** Only jobs whose raw priority is at most this. */
  priorityCeiling?: number | undefined
  /**
   * Whether the others are told that a deadline has come into being. They need not be while they wait for an earlier one of
   * the same worker.
   */
  tellDeadlines?: boolean
}

/**
 * Takes the next claimable jobs, at most `limit`: those that hold a permit and are not taken by anybody else, in the
 * order of their permits. An org's permits go by rank (`bff/store/permits`), so that its jobs come in the order of their
 * ranks, and the orgs one after the other. What has a permit is ready; only a gate that closed at the same moment may
 * still stand between.
 *
 * The token is unique to this claim, since one worker may hold an old and a new claim of one job (DESIGN §5, fence).
 * Ids break ties, so that prompts of one millisecond run in the order they came.
 * `for update skip locked` lets many workers take without waiting for each other.
 */
export async function claimJobs(tx: Tx, request: ClaimRequest): Promise<ClaimedJob[]> {
  const { now } = request
  const jobs = await tx.rows<ClaimedJob>(sql`
    with best as (
      select j.id from job j
      where j.state in ${fromStates('claim')} and j.permit is not null and j.blocked_by is null
        and j.available_at <= ${moment(now)} and j.priority <= ${request.priorityCeiling ?? 100}::int
        and ${gateLets(sql`j`)}
      order by j.permit_at, j.claim_rank, j.id limit ${request.limit}::int for update skip locked),
    moved as (
      update job j set state = ${toState('claim')}, run = j.run + 1, worker_claim = gen_random_uuid()::text,
        worker_id = ${request.workerId}, claimed_at = ${moment(now)}, started_at = ${moment(now)},
        running_heartbeat_at = ${moment(now)}, error_kind = null, error_message = null, updated_at = ${moment(now)}
      from best where j.id = best.id
      returning j.*, 'job-claimed' as event_kind,
        jsonb_build_object('from', 'queued', 'to', 'running', 'attempt', j.attempt, 'actor', j.worker_id) as event_data),
    ${recordMoves(now)}
    select m.id as "jobId", m.prompt_id as "promptId", m.org_id as "orgId", m.created_by as owner,
      m.worker_claim as token, m.run, m.attempt, m.max_attempts as "maxAttempts", m.budget, m.provider, m.model,
      m.execution_options as "executionOptions", m.rate_limited_since as "rateLimitedSince",
      m.started_at as "startedAt",
      greatest(0, extract(epoch from (m.started_at - greatest(m.available_at, m.created_at))) * 1000)::bigint as "queuedMs",
      m.permit, case when p.parent_id is null then p.body end as "rootText"
    from moved m left join entity p on p.id = m.prompt_id order by m.permit_at, m.claim_rank, m.id`)
  for (const job of jobs)
    tellMove(tx, job, { kind: 'job-claimed', from: 'queued', to: 'running', by: request.workerId })
  if (jobs.length > 0) {
    tx.signal({ topic: 'events' })
    if (request.tellDeadlines ?? true) tx.signal({ topic: 'deadlines' })
  }
  return jobs
}
