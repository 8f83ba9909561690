import { sql } from 'drizzle-orm'
import type { Queryable } from '../database/database.ts'
import { moment } from '../jobs/transition.ts'
import { readyWithoutPermit } from './ready-job.ts'

export interface Surroundings {
  /** Orgs that have a free permit and a ready job without one. */
  orgIds: string[]
  /** Whether a gate's time has come and no probe is under way. */
  probeWanted: boolean
  /** Whether somebody holds a permit behind a closed gate: it closed at the very moment in which the permit was given. */
  shutOut: boolean
  /** The next moment at which a job becomes due or a gate's time comes; null when nothing waits for a time. */
  nextAt: Date | null
}

/**
 * What a claim that found nothing looks at before it rests: whether permits can be granted, and when to look again. One
 * statement; the orgs that have waiting jobs are walked through their index, so that it costs by orgs, not by jobs.
 */
export async function lookAround(
  queryable: Queryable,
  { orgConcurrency, now }: { orgConcurrency: number; now: Date },
): Promise<Surroundings> {
  const [row] = await queryable.rows<{
    org_ids: string[]
    probe_wanted: boolean
    shut_out: boolean
    next_at: Date | null
  }>(sql`
    with recursive walk(org_id) as (
      (select org_id from job where state = 'queued' and permit is null and blocked_by is null order by org_id limit 1)
      union all
      select (select j.org_id from job j where j.state = 'queued' and j.permit is null and j.blocked_by is null
          and j.org_id > w.org_id order by j.org_id limit 1)
      from walk w where w.org_id is not null)
    select
      array(
        select w.org_id::text from walk w where w.org_id is not null
          and (select count(*) from job r where r.org_id = w.org_id and r.permit between 1 and ${orgConcurrency}::int
            and r.state in ('queued', 'running')) < ${orgConcurrency}::int
          and exists (select from job j where j.org_id = w.org_id and ${readyWithoutPermit(now)})
        order by w.org_id) as org_ids,
      exists (select from provider_gate g where ${probeWanted(now)}) as probe_wanted,
      exists (select from provider_gate g join job j on j.provider = g.provider where ${shutOut}) as shut_out,
      least(
        (select min(available_at) from job where state = 'queued' and permit is null and blocked_by is null
          and available_at > ${moment(now)}),
        (select min(closed_until) from provider_gate where closed_until > ${moment(now)})) as next_at`)
  if (!row) throw new Error('a look around is always one row')
  return { orgIds: row.org_ids, probeWanted: row.probe_wanted, shutOut: row.shut_out, nextAt: row.next_at }
}

/** The condition on `provider_gate g` for one whose time has come and that has no probe which runs or may be claimed. */
export function probeWanted(now: Date) {
  return sql`g.closed_until <= ${moment(now)} and not exists (
    select from job p where p.id = g.probe_job_id
      and (p.state = 'running' or p.state = 'queued' and p.permit is not null))`
}

/** The condition on `job j` and `provider_gate g` for one that waits with a permit and is not let through. */
export const shutOut = sql`j.provider = g.provider and j.state = 'queued' and j.permit is not null
  and j.blocked_by is null and j.id is distinct from g.probe_job_id`
