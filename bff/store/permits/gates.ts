import { sql } from 'drizzle-orm'
import type { Tx } from '../database/database.ts'
import { moment } from '../jobs/transition.ts'
import { type FreedPermit, freedPermits } from './hand-on.ts'
import { probeWanted, shutOut } from './look-around.ts'

/**
 * A provider said that it takes no calls until then: its gate closes for as long, and its waiting jobs give their permits
 * back, for they are not ready any more (DESIGN §6). A gate that is closed for longer already stays so.
 *
 * @returns the permits given back, to be handed on in this transaction.
 */
export async function closeGate(
  tx: Tx,
  {
    provider,
    until,
    orgConcurrency,
    now,
  }: { provider: string; until: Date; orgConcurrency: number; now: Date },
): Promise<FreedPermit[]> {
  const rows = await tx.rows<{ org_id: string; freed: number }>(sql`
    with closed as (
      insert into provider_gate as g (provider, closed_until, updated_at)
      values (${provider}, ${moment(until)}, ${moment(now)})
      on conflict (provider) do update set closed_until = greatest(g.closed_until, excluded.closed_until),
        probe_job_id = null, updated_at = excluded.updated_at
      returning provider),
    held as materialized (
      select id, org_id, permit from job
      where state = 'queued' and permit is not null and provider = ${provider} for update skip locked)
    update job j set permit = null, permit_at = null from held h where j.id = h.id
    returning h.org_id, h.permit as freed`)
  tx.signal({ topic: 'gates' })
  tx.signal({ topic: 'job-queued', dueAt: until.toISOString() })
  return freedPermits(rows, orgConcurrency)
}

/** Takes back the permits that are held behind closed gates. @returns whether there were any. */
export async function takeBackShutOut(tx: Tx): Promise<boolean> {
  const rows = await tx.rows<{ id: string }>(sql`
    with held as materialized (
      select j.id from job j join provider_gate g on ${shutOut} for update of j skip locked)
    update job j set permit = null, permit_at = null from held h where j.id = h.id returning j.id`)
  return rows.length > 0
}

/**
 * Names a probe for every gate whose time has come: the best ranked job that waits for the provider, if possible of an
 * org that has a permit free. A gate that nobody waits at is opened.
 *
 * @returns whether anything changed; permits are granted afterwards as usual, the probe being let through.
 */
export async function chooseProbes(
  tx: Tx,
  { orgConcurrency, now }: { orgConcurrency: number; now: Date },
): Promise<boolean> {
  const rows = await tx.rows<{ provider: string }>(sql`
    with due as materialized (
      select g.provider from provider_gate g where ${probeWanted(now)} order by g.provider for update skip locked),
    firsts as materialized (
      select distinct on (j.provider, j.org_id) j.provider, j.org_id, j.id, j.claim_rank from job j
      where j.provider in (select provider from due) and j.state = 'queued' and j.permit is null
        and j.blocked_by is null and j.available_at <= ${moment(now)}
      order by j.provider, j.org_id, j.claim_rank, j.id),
    chosen as (
      select distinct on (f.provider) f.provider, f.id from firsts f
      order by f.provider, (select count(*) from job r where r.org_id = f.org_id
          and r.permit between 1 and ${orgConcurrency}::int and r.state in ('queued', 'running')) >= ${orgConcurrency}::int,
        f.claim_rank, f.id),
    probing as (
      update provider_gate g set probe_job_id = c.id, updated_at = ${moment(now)} from chosen c
      where g.provider = c.provider returning g.provider),
    opened as (
      delete from provider_gate g where g.provider in (select provider from due)
        and g.provider not in (select provider from chosen) returning g.provider)
    select provider from probing union all select provider from opened`)
  if (rows.length > 0) tx.signal({ topic: 'gates' })
  return rows.length > 0
}
