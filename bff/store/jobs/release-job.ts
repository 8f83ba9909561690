import { sql } from 'drizzle-orm'
import type { Tx } from '../database/database.ts'
import { grantPermits } from '../permits/grant-permits.ts'
import { type MovedRow, movedColumns, tellMoves } from './tell-moves.ts'
import { moment, recordMoves } from './transition.ts'
import { currentJobWhere, type WhichJob } from './which.ts'

/**
 * A follower is told to run without the prompt that it waits for, held or not: available from now on, or from its own
 * later time. A compare-and-set: of a release and the predecessor's settling, one finds nothing left to do.
 *
 * @returns the job, or null when none was queued and waiting for another prompt.
 */
export async function releaseJob(
  tx: Tx,
  which: WhichJob,
  { actor, orgConcurrency, now }: { actor: string; orgConcurrency: number; now: Date },
): Promise<{ jobId: string; promptId: string } | null> {
  const rows = await tx.rows<MovedRow>(sql`
    with before as (
      select id, blocked_by from job
      where ${currentJobWhere(which)} and state = 'queued' and blocked_by is not null for update),
    moved as (
      update job j set blocked_by = null, hold_reason = null,
        available_at = greatest(j.available_at, ${moment(now)}), updated_at = ${moment(now)}
      from before b where j.id = b.id
      returning j.id, j.prompt_id, j.org_id, j.created_by, j.run, 'job-released'::text as event_kind,
        jsonb_build_object('from', 'queued', 'to', 'queued', 'without', b.blocked_by, 'actor', ${actor}::text) as event_data),
    ${recordMoves(now)}
    select ${movedColumns} from moved`)
  const [row] = rows
  if (!row) return null
  tellMoves(tx, rows, { by: actor })
  await grantPermits(tx, { orgIds: [row.org_id], orgConcurrency, now, wait: false })
  tx.signal({ topic: 'job-queued' })
  tx.signal({ topic: 'events' })
  return { jobId: row.id, promptId: row.prompt_id }
}
