import { sql } from 'drizzle-orm'
import type { Queryable } from '../database/database.ts'
import { gateLets } from '../permits/ready-job.ts'
import { moment } from './transition.ts'

/** A job that keeps the host from being suspended. */
export interface BusyJob {
  kind: 'running-job' | 'queued-job' | 'external-job'
  job_id: string
  prompt_id: string
  org_id: string
  since: Date
}

/** Something that will have to be done at a known time. */
export interface WakeUp {
  kind: 'lease-end' | 'delayed-job' | 'gate' | 'schedule' | 'external-poll' | 'delivery'
  at: Date
  /** How many of this kind are due by now. */
  due: number
}

/** The jobs that run, on a cluster too, and those that could be claimed at once: oldest first, so many at most. */
export async function readBusyJobs(queryable: Queryable, now: Date, limit: number): Promise<BusyJob[]> {
  return queryable.rows<BusyJob>(sql`
    select kind, job_id, prompt_id, org_id, since from (
      select case when j.external then 'external-job' else 'running-job' end as kind, j.id as job_id, j.prompt_id,
        j.org_id, j.started_at as since
      from job j where j.state = 'running'
      union all
      select 'queued-job', j.id, j.prompt_id, j.org_id, greatest(j.created_at, j.available_at)
      from job j where j.state = 'queued' and j.blocked_by is null and j.available_at <= ${moment(now)}
        and ${gateLets(sql`j`)}) busy
    order by since, job_id limit ${limit}::int`)
}

/** The earliest time of each kind, from the rows themselves; a kind of which there is none is left out. */
export async function readWakeUps(queryable: Queryable, now: Date, leaseMs: number): Promise<WakeUp[]> {
  return queryable.rows<WakeUp>(sql`
    with times as (
      select 'lease-end' as kind, running_heartbeat_at + ${leaseMs}::bigint * interval '1 millisecond' as at
      from job where state = 'running' and not external
      union all
      select 'delayed-job', available_at from job
      where state = 'queued' and blocked_by is null and available_at > ${moment(now)}
      union all
      select 'gate', closed_until from provider_gate where probe_job_id is null
      union all
      select 'schedule', next_at from schedule where paused_at is null
      union all
      select 'external-poll', next_poll_at from external_job
      union all
      select 'delivery', next_at from delivery where acknowledged_at is null)
    select kind, min(at) as at, count(*) filter (where at <= ${moment(now)}) as due
    from times where at is not null group by kind order by min(at), kind`)
}
