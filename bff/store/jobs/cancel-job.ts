import { sql } from 'drizzle-orm'
import type { Tx } from '../database/database.ts'
import { freedPermits } from '../permits/hand-on.ts'
import { recordLostRuns } from './ledger-row.ts'
import { moveFollowers } from './move-followers.ts'
import { type MovedRow, movedColumns, tellMoves } from './tell-moves.ts'
import { fromStates, moment, recordMoves, toState } from './transition.ts'
import { currentJobWhere, type WhichJob } from './which.ts'

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
  { actor, orgConcurrency, now }: { actor: string; orgConcurrency: number; now: Date },
): Promise<{ jobId: string; promptId: string } | null> {
  const rows = await tx.rows<MovedRow & { freed: number | null }>(sql`
    with before as (select * from job where ${currentJobWhere(which)} and state in ${fromStates('cancel')} for update),
    ended as (select * from before where state = 'running'),
    moved as (
      update job j set state = ${toState('cancel')}, outcome = 'cancelled', finished_at = ${moment(now)},
        worker_claim = null, permit = null, permit_at = null, blocked_by = null, hold_reason = null, soft_review_at = null, error_kind = null,
        error_message = null, updated_at = ${moment(now)}
      from before b where j.id = b.id
      returning j.id, j.prompt_id, j.org_id, j.created_by, j.run, b.permit as freed, 'job-cancelled'::text as event_kind,
        jsonb_build_object('from', b.state, 'to', j.state, 'actor', ${actor}::text) as event_data),
    ${recordLostRuns(sql`null::text`, false, now)},
    ${recordMoves(now)}
    select ${movedColumns}, freed from moved`)
  const [row] = rows
  if (!row) return null
  tellMoves(tx, rows, { by: actor })
  await moveFollowers(tx, [row.prompt_id], 'cancelled', now, {
    freed: freedPermits(rows, orgConcurrency),
    jobIds: [],
  })
  tx.signal({ topic: 'job-cancelled', jobId: row.id })
  tx.signal({ topic: 'events' })
  return { jobId: row.id, promptId: row.prompt_id }
}
