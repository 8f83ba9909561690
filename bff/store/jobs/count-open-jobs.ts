import { sql } from 'drizzle-orm'
import type { Queryable } from '../database/database.ts'

export interface OpenJobs {
  /** Waiting, held ones left out. */
  queued: number
  running: number
  /** Followers of a prompt that failed or was cancelled: they wait for a person. */
  held: number
  /** Providers whose gate is closed. */
  closedGates: string[]
}

/**
 * How many jobs have not ended, over all orgs. Each count reads a partial index of open jobs, so that its cost grows
 * with what waits and never with history; what has ended is not counted here.
 */
export async function countOpenJobs(queryable: Queryable): Promise<OpenJobs> {
  const [counts] = await queryable.rows<OpenJobs>(sql`
    with open as (select state, count(*) as jobs from job where state in ('queued', 'running') group by state),
    waiting as (select count(*) as jobs from job
      where state = 'queued' and blocked_by is not null and hold_reason is not null)
    select (select coalesce(sum(jobs), 0) from open where state = 'queued') - (select jobs from waiting) as queued,
      (select coalesce(sum(jobs), 0) from open where state = 'running') as running,
      (select jobs from waiting) as held,
      (select coalesce(jsonb_agg(provider order by provider), '[]') from provider_gate) as "closedGates"`)
  return counts ?? { queued: 0, running: 0, held: 0, closedGates: [] }
}
