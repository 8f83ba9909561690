import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../database/database.ts'
import { moment } from './transition.ts'

export interface MetricsFilter {
  /** Jobs that ended at this time or later. */
  since: Date
  now: Date
  orgId?: string
}

/** What waits and runs in one org now; a permit is held by a job that is ready or runs. */
export interface OpenCounts {
  org_id: string
  org_name: string | null
  queued: number
  running: number
  permits: number
}

/** Half, 19 of 20, and 99 of 100 took no longer, in ms; null where nothing was measured. */
export type Percentiles = [p50: number, p95: number, p99: number]

/** What ended since a time in one org, or, with `org_id: null`, in all that were asked for. */
export interface EndedCounts {
  org_id: string | null
  org_name: string | null
  ended: number
  succeeded: number
  failed: number
  cancelled: number
  /** Among those: replaced by a newer job since. */
  superseded: number
  attempts_mean: number
  attempts_max: number
  queued_to_started: Percentiles | null
  started_to_finished: Percentiles | null
  whole: Percentiles | null
}

export interface FailureCount {
  error_kind: string
  jobs: number
}

/** The job that has been ready, and not been taken, for longest. */
export interface OldestWaiting {
  job_id: string
  prompt_id: string
  org_id: string
  since: Date
}

export interface ClosedGate {
  provider: string
  closed_until: Date
  probing: boolean
}

export async function countOpen(tx: Tx, { orgId }: MetricsFilter): Promise<OpenCounts[]> {
  return tx.rows<OpenCounts>(sql`
    select j.org_id, o.name as org_name, count(*) filter (where j.state = 'queued') as queued,
      count(*) filter (where j.state = 'running') as running, count(j.permit) as permits
    from job j left join org o on o.id = j.org_id
    where j.state in ('queued', 'running') ${ofOrg(orgId)}
    group by j.org_id, o.name order by o.name, j.org_id`)
}

/**
 * A row an org, the sum first. Its cost grows with what ended since, never with all that ever did: it reads
 * `job_finished_at` from there on. A job waits from when it was asked for, or from the time it was scheduled for, until
 * the run that ended it began; with one run that is the wait for a worker.
 */
export async function countEnded(tx: Tx, { since, orgId }: MetricsFilter): Promise<EndedCounts[]> {
  return tx.rows<EndedCounts>(sql`
    with ended as materialized (
      select org_id, state, outcome, attempt,
        greatest(0, extract(epoch from (started_at - asked_at)) * 1000)::float8 as waited_ms,
        greatest(0, extract(epoch from (finished_at - started_at)) * 1000)::float8 as ran_ms,
        greatest(0, extract(epoch from (finished_at - asked_at)) * 1000)::float8 as whole_ms
      from (select j.*, greatest(j.created_at, j.scheduled_for) as asked_at from job j
        where j.finished_at is not null and j.finished_at >= ${moment(since)} ${ofOrg(orgId)}) j),
    counted as (
      select org_id, count(*) as ended, count(*) filter (where outcome = 'succeeded') as succeeded,
        count(*) filter (where outcome = 'failed') as failed,
        count(*) filter (where outcome = 'cancelled') as cancelled,
        count(*) filter (where state = 'superseded') as superseded,
        round(avg(attempt), 3) as attempts_mean, max(attempt) as attempts_max,
        ${percentiles(sql`waited_ms`)} as queued_to_started,
        ${percentiles(sql`ran_ms`)} as started_to_finished,
        ${percentiles(sql`whole_ms`)} as whole
      from ended group by grouping sets ((org_id), ()))
    select c.*, o.name as org_name from counted c left join org o on o.id = c.org_id
    where c.ended > 0 order by c.org_id is not null, o.name, c.org_id`)
}

/** Why jobs failed for good, the most frequent first. */
export async function countFailures(tx: Tx, { since, orgId }: MetricsFilter): Promise<FailureCount[]> {
  return tx.rows<FailureCount>(sql`
    select j.error_kind, count(*) as jobs from job j
    where j.finished_at is not null and j.finished_at >= ${moment(since)} and j.outcome = 'failed' ${ofOrg(orgId)}
    group by j.error_kind order by jobs desc, j.error_kind`)
}

export async function oldestWaiting(tx: Tx, { now, orgId }: MetricsFilter): Promise<OldestWaiting | null> {
  const [row] = await tx.rows<OldestWaiting>(sql`
    select j.id as job_id, j.prompt_id, j.org_id, greatest(j.created_at, j.available_at) as since from job j
    where j.state = 'queued' and j.blocked_by is null and j.available_at <= ${moment(now)} ${ofOrg(orgId)}
    order by greatest(j.created_at, j.available_at), j.id limit 1`)
  return row ?? null
}

/** Gates belong to providers, not to orgs: a row is a gate that is closed. */
export async function closedGates(tx: Tx): Promise<ClosedGate[]> {
  return tx.rows<ClosedGate>(sql`
    select provider, closed_until, probe_job_id is not null as probing from provider_gate order by provider`)
}

function ofOrg(orgId: string | undefined): SQL {
  return orgId === undefined ? sql`` : sql`and j.org_id = ${orgId}::uuid`
}

function percentiles(ms: SQL): SQL {
  return sql`percentile_disc(array[0.5, 0.95, 0.99]) within group (order by ${ms})`
}
