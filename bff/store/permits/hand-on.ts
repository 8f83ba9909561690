import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../database/database.ts'
import { sqlJson } from '../database/sql-values.ts'
import { moment } from '../jobs/transition.ts'
import { readyWithoutPermit } from './ready-job.ts'

/** A permit that a job of this transaction has just given back, so that nobody else can take its number yet. */
export interface FreedPermit {
  org_id: string
  permit: number
}

/** The rows that a statement returned, as permits freed: those that held one. Numbers above the limit are let go. */
export function freedPermits(
  rows: readonly { org_id: string; freed: number | null }[],
  orgConcurrency: number,
): FreedPermit[] {
  return rows.flatMap(({ org_id, freed }) =>
    freed !== null && freed <= orgConcurrency ? [{ org_id, permit: freed }] : [],
  )
}

/**
 * Gives freed permits to the best ranked jobs of their orgs that are ready and have none, in the transaction that
 * freed them (DESIGN §6). Who gets one stands in line from `now` on: that is what keeps an org with a long queue from
 * holding up another by more than one job's length.
 *
 * @returns how many were handed on.
 */
export async function handOn(tx: Tx, freed: readonly FreedPermit[], now: Date): Promise<number> {
  if (freed.length === 0) return 0
  const rows = await tx.rows<{ id: string }>(sql`
    with ${handingOn(freed, now)} select id from handed`)
  return rows.length
}

/**
 * The CTEs of `handOn`, the last of them `handed (id)`, for a statement that does more.
 *
 * @param unless a condition under which nothing is handed on.
 */
export function handingOn(freed: readonly FreedPermit[], now: Date, unless: SQL = sql`false`): SQL {
  return sql`
    freed as materialized (
      select org_id, permit, row_number() over (partition by org_id order by permit) as place
      from jsonb_to_recordset(${sqlJson(freed)}) as f(org_id uuid, permit int) where not (${unless})),
    heirs as materialized (
      select c.org_id, h.id, row_number() over (partition by c.org_id order by h.claim_rank, h.id) as place
      from (select org_id, count(*) as permits from freed group by org_id) c cross join lateral (
        select j.id, j.claim_rank from job j where j.org_id = c.org_id and ${readyWithoutPermit(now)}
        order by j.claim_rank, j.id limit c.permits for update skip locked) h),
    handed as (
      update job j set permit = f.permit, permit_at = ${moment(now)}
      from freed f join heirs h using (org_id, place) where j.id = h.id returning j.id)`
}
