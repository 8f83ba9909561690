import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../database/database.ts'
import { sqlArray } from '../database/sql-values.ts'
import { clearDrafts } from '../drafts.ts'
import { freedPermits } from '../permits/hand-on.ts'
import { recordLostRuns } from './ledger-row.ts'
import { moveFollowers } from './move-followers.ts'
import { type MovedRow, movedColumns, tellMoves } from './tell-moves.ts'
import { fromStates, moment, recordMoves, toState } from './transition.ts'
import { currentJobWhere, type WhichJob } from './which.ts'

/** Who cancels, and when. */
export interface Cancelling {
  actor: string
  orgConcurrency: number
  now: Date
}

/**
 * A compare-and-set on the state: an acknowledged cancel of a queued job never runs; a running one is cancelled in the
 * record at once, its holder is told and whatever still arrives is discarded by the fence. Text received so far is kept
 * in the ledger.
 *
 * @returns the job cancelled, or null when none was queued or running.
 */
export async function cancelJobRow(
  tx: Tx,
  which: WhichJob,
  by: Cancelling,
): Promise<{ jobId: string; promptId: string } | null> {
  const [cancelled] = await cancelWhere(tx, currentJobWhere(which), by)
  return cancelled ?? null
}

/** The same for many jobs at once, locked in the order of locks. @returns those that were queued or running. */
export async function cancelJobs(
  tx: Tx,
  jobIds: readonly string[],
  by: Cancelling,
): Promise<{ jobId: string; promptId: string }[]> {
  return cancelWhere(tx, sql`id = any(${sqlArray(jobIds, 'uuid')})`, by)
}

async function cancelWhere(
  tx: Tx,
  where: SQL,
  { actor, orgConcurrency, now }: Cancelling,
): Promise<{ jobId: string; promptId: string }[]> {
  const rows = await tx.rows<MovedRow & { freed: number | null }>(sql`
    with before as (
      select * from job where ${where} and state in ${fromStates('cancel')} order by id for update),
    ended as (select * from before where state = 'running'),
    moved as (
      update job j set state = ${toState('cancel')}, outcome = 'cancelled', finished_at = ${moment(now)},
        worker_claim = null, permit = null, permit_at = null, blocked_by = null, hold_reason = null,
        soft_review_at = null, error_kind = null, error_message = null, updated_at = ${moment(now)}
      from before b where j.id = b.id
      returning j.id, j.prompt_id, j.org_id, j.created_by, j.run, b.permit as freed, 'job-cancelled'::text as event_kind,
        jsonb_build_object('from', b.state, 'to', j.state, 'actor', ${actor}::text) as event_data),
    ${recordLostRuns(sql`null::text`, false, now)},
    ${recordMoves(now)}
    select ${movedColumns}, freed from moved`)
  if (rows.length === 0) return []
  tellMoves(tx, rows, { by: actor })
  await clearDrafts(
    tx,
    rows.map((row) => row.id),
  )
  const promptIds = rows.map((row) => row.prompt_id)
  await moveFollowers(tx, promptIds, 'cancelled', now, {
    freed: freedPermits(rows, orgConcurrency),
    jobIds: [],
  })
  for (const row of rows) tx.signal({ topic: 'job-cancelled', jobId: row.id })
  tx.signal({ topic: 'events' })
  return rows.map((row) => ({ jobId: row.id, promptId: row.prompt_id }))
}
