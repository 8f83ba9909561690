import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../database/database.ts'
import { sqlArray } from '../database/sql-values.ts'
import { type FreedPermit, handingOn, handOn } from '../permits/hand-on.ts'
import { type MovedRow, tellMoves } from './tell-moves.ts'
import { moment, recordMoves } from './transition.ts'

/** What became of the prompt that others wait for: `retried` makes held followers plain waiting ones again. */
export type PredecessorFate = 'succeeded' | 'failed' | 'cancelled' | 'retried'

/** What else ended with the first: permits to hand on, and jobs that open the gate whose probe they were. */
export interface Ended {
  freed: readonly FreedPermit[]
  jobIds: readonly string[]
  /** The condition for it all, where the statement is sent before the first one's outcome is known. */
  provided?: SQL
}

/**
 * Tells the jobs that wait for `promptIds` what became of them: released on success, held with the cause on failure
 * or cancel, no longer held on a retry.
 *
 * A statement of its own, after the one that moved the first: the lock on the first's row is held by then, so a submit
 * that was under way has either committed, and this statement's newer snapshot sees its follower, or it will see the
 * settled state itself. In one statement with the settling, a follower could fall between the two and wait for ever.
 * A released one is available from now on: how long it was ready and waiting starts here.
 *
 * The permits of what ended are handed on in the same statement, or after it where it made somebody ready for one.
 *
 * @returns how many jobs became claimable.
 */
export async function moveFollowers(
  tx: Tx,
  promptIds: readonly string[],
  fate: PredecessorFate,
  now: Date,
  ended: Ended = { freed: [], jobIds: [] },
): Promise<number> {
  const released = fate === 'succeeded'
  const cause = fate === 'failed' || fate === 'cancelled' ? fate : null
  const kind = released ? 'job-released' : cause ? 'job-held' : 'job-waiting'
  const { freed, jobIds, provided = sql`true` } = ended
  const [row] = await tx.rows<{
    followers: MovedRow[]
    handed: number
    opened: number
    happened: boolean
  }>(sql`
    with waiting as materialized (
      select id from job where state = 'queued' and blocked_by = any(${sqlArray(promptIds, 'uuid')}) and ${provided}
      order by id for update),
    moved as (
      update job f set hold_reason = ${cause}, blocked_by = case when ${released}::boolean then null else f.blocked_by end,
        available_at = case when ${released}::boolean then greatest(f.available_at, ${moment(now)}) else f.available_at end,
        updated_at = ${moment(now)}
      from waiting w where f.id = w.id and (${released}::boolean or f.hold_reason is distinct from ${cause})
      returning f.id, f.prompt_id, f.org_id, f.created_by, f.run, ${kind}::text as event_kind,
        jsonb_strip_nulls(jsonb_build_object('to', 'queued', 'held', f.hold_reason)) as event_data),
    ${recordMoves(now)},
    opened as (delete from provider_gate where probe_job_id = any(${sqlArray(jobIds, 'uuid')}) and ${provided}
      returning provider),
    ${handingOn(freed, now, sql`not ${provided} or ${released}::boolean and exists (select from waiting)`)}
    select (select coalesce(jsonb_agg(m), '[]') from moved m) as followers, (select count(*) from handed) as handed,
      (select count(*) from opened) as opened, ${provided} as happened`)
  if (!row?.happened) return 0
  const { followers, opened } = row
  const moved = followers.length
  tellMoves(tx, followers, { by: 'its predecessor', from: 'queued' })
  let { handed } = row
  if (moved > 0) tx.signal({ topic: 'events' })
  if (opened > 0) tx.signal({ topic: 'gates' })
  if (released && moved > 0) handed += await handOn(tx, freed, now)
  if (handed > 0) tx.signal({ topic: 'job-queued' })
  // There is more to look for than what has a permit now: what became ready, and a job that was stored at this very
  // moment, which saw the permit taken and is not seen here.
  const more = opened > 0 || (released && moved > 0) || handed < freed.length
  if (more) tx.signal({ topic: 'job-queued', dueAt: now.toISOString() })
  return released ? moved : 0
}
