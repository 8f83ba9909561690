import { sql } from 'drizzle-orm'
import type { Queryable } from '../database/database.ts'
import { sqlArray } from '../database/sql-values.ts'
import { moment } from '../jobs/transition.ts'
import type { WaitingRow } from './wait-reason-of-row.ts'

const waitingRowsMax = 1_000

/** One waiting job of somebody's. */
export interface PlacedRow extends WaitingRow {
  prompt_id: string
  position: number
}

/**
 * One's own waiting jobs, the nearest 1,000, each with its place, counted from 1. Counted are the jobs of the org that
 * are ready (due, not blocked, their provider's gate open) and stand before it in the order of claims; for a job that
 * is not ready itself it is the place that it would have now.
 */
export async function readOwnQueue(
  queryable: Queryable,
  owner: { orgId: string; personId: string },
  now: Date,
): Promise<PlacedRow[]> {
  return queryable.rows<PlacedRow>(sql`
    with line as (
      select j.id, j.prompt_id, j.created_by, j.claim_rank, j.state, j.error_kind, j.available_at, j.scheduled_for,
        j.rate_limited_since, j.blocked_by, j.hold_reason, j.claimed_at, j.provider,
        j.blocked_by is null and j.available_at <= ${moment(now)} and g.provider is null as ready
      from job j
      left join provider_gate g on g.provider = j.provider and g.probe_job_id is distinct from j.id
      where j.org_id = ${owner.orgId}::uuid and j.state = 'queued'),
    placed as (
      select line.*, 1 + count(*) filter (where ready)
        over (order by claim_rank, id rows between unbounded preceding and 1 preceding) as position
      from line)
    select prompt_id, position, state, error_kind, available_at, scheduled_for, rate_limited_since, blocked_by,
      hold_reason, claimed_at, provider
    from placed where created_by = ${owner.personId}::uuid
    order by position, claim_rank, id limit ${waitingRowsMax}::int`)
}

/** What one org has in the queue. */
export interface OrgLoad {
  orgId: string
  /** Jobs that run and take a place; those outside, on a cluster, take none. */
  running: number
  /** Everything queued, ready or not. */
  waiting: number
}

/** The load of each of these orgs, by two counts in an index. */
export async function readOrgLoads(queryable: Queryable, orgIds: readonly string[]): Promise<OrgLoad[]> {
  return queryable.rows<OrgLoad>(sql`
    select o.id as "orgId",
      (select count(*) from job j where j.org_id = o.id and j.state = 'running' and not j.external) as running,
      (select count(*) from job j where j.org_id = o.id and j.state = 'queued') as waiting
    from unnest(${sqlArray(orgIds, 'uuid')}) as o(id)`)
}
