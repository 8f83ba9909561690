import { sql } from 'drizzle-orm'
import type { Tx } from '../database/database.ts'
import { sqlArray } from '../database/sql-values.ts'
import { moment } from '../jobs/transition.ts'
import { readyWithoutPermit } from './ready-job.ts'
import { takeOver } from './take-over.ts'

export interface GrantRequest {
  orgIds: readonly string[]
  /** How many jobs an org may have ready or running at once: its permits are numbered 1 to this. */
  orgConcurrency: number
  now: Date
  /**
   * Whether to wait while another transaction grants in the same org. A submit does not: it stores its job without a
   * permit, and the claim that finds nothing grants.
   */
  wait: boolean
}

/**
 * Gives the free permits of the orgs to their best ranked ready jobs; where none is free, a better ranked job takes over
 * from the worst ranked one that still waits (DESIGN §6). Claims go by the time of the permit, so those of an org's
 * waiting jobs are kept in the order of their ranks.
 *
 * Only one transaction grants in an org at a time, by an advisory lock taken in a statement of its own: the next one then
 * sees what the holder of the lock gave. The transaction should do nothing afterwards that waits for anybody.
 *
 * @returns how many got a permit.
 */
export async function grantPermits(tx: Tx, request: GrantRequest): Promise<number> {
  return grantLocked(tx, request, await lockOrgs(tx, request))
}

/** @param orgIds what `lockOrgs` answered: a caller may send that along with what it does before. */
export async function grantLocked(tx: Tx, request: GrantRequest, orgIds: readonly string[]): Promise<number> {
  // Somebody grants there just now and may not see what this transaction made ready: whoever is next looks around.
  if (orgIds.length < new Set(request.orgIds).size)
    tx.signal({ topic: 'job-queued', dueAt: request.now.toISOString() })
  if (orgIds.length === 0) return 0
  const rows = await giveFree(tx, { ...request, orgIds })
  const outranked = rows.filter(
    ({ best_left, worst }) => best_left !== null && worst !== null && best_left < worst,
  )
  const unsorted = rows.filter(({ best_given, worst_before }) => isLess(best_given, worst_before))
  const given = rows.reduce((sum, row) => sum + row.given, 0)
  const orgsOf = (some: readonly GrantRow[]) => some.map((row) => row.org_id)
  const taken = outranked.length > 0 ? await takeOver(tx, orgsOf(outranked), request.now) : 0
  const mixed = [...new Set(orgsOf([...outranked, ...unsorted]))]
  if (mixed.length > 0) await sortWaiting(tx, mixed)
  return given + taken
}

interface GrantRow {
  org_id: string
  given: number
  /** Ranks: of the best one that got a permit, of the best one that is left without, of the worst one that waits. */
  best_given: number | null
  best_left: number | null
  worst_before: number | null
  worst: number | null
}

/** @returns the orgs in which this transaction may grant from its next statement on. */
export async function lockOrgs(
  tx: Tx,
  { orgIds, wait }: Pick<GrantRequest, 'orgIds' | 'wait'>,
): Promise<string[]> {
  const distinct = [...new Set(orgIds)].sort()
  if (distinct.length === 0) return []
  const key = sql`hashtextextended(org_id::text, ${lockSeed}::bigint)`
  const orgs = sql`unnest(${sqlArray(distinct, 'uuid')}) as org_id`
  const rows = wait
    ? await tx.rows<{ org_id: string }>(sql`select org_id, pg_advisory_xact_lock(${key})::text from ${orgs}`)
    : await tx.rows<{ org_id: string }>(
        sql`select org_id from ${orgs} where pg_try_advisory_xact_lock(${key})`,
      )
  return rows.map((row) => row.org_id)
}

/** Keeps our advisory locks apart from anybody else's in the same database. */
const lockSeed = 7_410

function giveFree(tx: Tx, { orgIds, orgConcurrency, now }: GrantRequest): Promise<GrantRow[]> {
  return tx.rows<GrantRow>(sql`
    with orgs as materialized (select unnest(${sqlArray(orgIds, 'uuid')}) as org_id),
    waiting as materialized (
      select o.org_id, max(j.claim_rank) as worst from orgs o
      join job j on j.org_id = o.org_id and j.state = 'queued' and j.permit is not null group by o.org_id),
    free as materialized (
      select o.org_id, s.permit, row_number() over (partition by o.org_id order by s.permit) as place
      from orgs o cross join generate_series(1, ${orgConcurrency}::int) as s(permit)
      where not exists (
        select from job r where r.org_id = o.org_id and r.permit = s.permit and r.state in ('queued', 'running'))),
    ready as materialized (
      select c.org_id, r.id, r.claim_rank, row_number() over (partition by c.org_id order by r.claim_rank, r.id) as place
      from (select o.org_id, count(f.permit) as permits from orgs o left join free f using (org_id) group by o.org_id) c
      cross join lateral (
        select j.id, j.claim_rank from job j where j.org_id = c.org_id and ${readyWithoutPermit(now)}
        order by j.claim_rank, j.id limit c.permits + 1 for update skip locked) r),
    given as (
      update job j set permit = f.permit, permit_at = ${moment(now)}
      from free f join ready r using (org_id, place) where j.id = r.id returning j.org_id, j.id, j.claim_rank)
    select o.org_id, (select count(*)::int from given g where g.org_id = o.org_id) as given,
      (select min(claim_rank) from given g where g.org_id = o.org_id) as best_given,
      (select min(claim_rank) from ready r where r.org_id = o.org_id and not exists (
        select from given g where g.id = r.id)) as best_left,
      w.worst as worst_before,
      greatest(w.worst, (select max(claim_rank) from given g where g.org_id = o.org_id)) as worst
    from orgs o left join waiting w using (org_id)`)
}

/** Deals the permit times of an org's waiting jobs out again, the earliest to the best rank. */
async function sortWaiting(tx: Tx, orgIds: readonly string[]): Promise<void> {
  await tx.rows(sql`
    with held as materialized (
      select j.id, j.org_id, j.claim_rank, j.permit_at from job j
      where j.org_id = any(${sqlArray(orgIds, 'uuid')}) and j.state = 'queued' and j.permit is not null
      for update skip locked),
    by_rank as (select id, org_id, row_number() over (partition by org_id order by claim_rank, id) as place from held),
    by_time as (
      select org_id, permit_at, row_number() over (partition by org_id order by permit_at, claim_rank, id) as place
      from held)
    update job j set permit_at = t.permit_at from by_rank r join by_time t using (org_id, place)
    where j.id = r.id and j.permit_at <> t.permit_at`)
}

function isLess(a: number | null, b: number | null): boolean {
  return a !== null && b !== null && a < b
}
