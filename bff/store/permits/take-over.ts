import { sql } from 'drizzle-orm'
import type { Tx } from '../database/database.ts'
import { sqlArray } from '../database/sql-values.ts'
import { type FreedPermit, handOn } from './hand-on.ts'
import { readyWithoutPermit } from './ready-job.ts'

/**
 * In orgs whose permits are all out: of those that wait with one and those that are ready without, the best ranked keep
 * or get them. Two statements, since a number must be given back before another row can hold it.
 *
 * @returns how many took over.
 */
export async function takeOver(tx: Tx, orgIds: readonly string[], now: Date): Promise<number> {
  const freed = await tx.rows<FreedPermit>(sql`
    with held as materialized (
      select j.id, j.org_id, j.claim_rank, j.permit from job j
      where j.org_id = any(${sqlArray(orgIds, 'uuid')}) and j.state = 'queued' and j.permit is not null
      for update skip locked),
    counted as (select org_id, count(*) as permits from held group by org_id),
    rivals as materialized (
      select c.org_id, r.id, r.claim_rank from counted c cross join lateral (
        select j.id, j.claim_rank from job j where j.org_id = c.org_id and ${readyWithoutPermit(now)}
        order by j.claim_rank, j.id limit c.permits for update skip locked) r),
    ranked as (
      select id, org_id, permit, row_number() over (partition by org_id order by claim_rank, id) as place from (
        select id, org_id, claim_rank, permit from held
        union all select id, org_id, claim_rank, null from rivals) everybody),
    losers as (
      select r.id, r.org_id, r.permit from ranked r join counted c using (org_id)
      where r.permit is not null and r.place > c.permits)
    update job j set permit = null, permit_at = null from losers l where j.id = l.id
    returning l.org_id, l.permit`)
  return handOn(tx, freed, now)
}
