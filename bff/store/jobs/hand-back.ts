import { sql } from 'drizzle-orm'
import type { Tx } from '../database/database.ts'
import { sqlArray } from '../database/sql-values.ts'
import { recordLostRuns } from './ledger-row.ts'
import { type MovedRow, movedColumns, tellMoves } from './tell-moves.ts'
import { fromStates, moment, recordMoves, toState } from './transition.ts'

/**
 * Drain: the worker was told to stop, so its claims go back to the queue at once and the attempts are not counted.
 * @returns the ids of the jobs handed back; claims that were lost meanwhile are left alone.
 */
export async function handBack(tx: Tx, tokens: readonly string[], now: Date): Promise<string[]> {
  const rows = await tx.rows<MovedRow>(sql`
    with ended as (
      select * from job
      where state in ${fromStates('hand-back')} and worker_claim = any(${sqlArray(tokens, 'text')}) order by id for update),
    moved as (
      update job j set state = ${toState('hand-back')}, worker_claim = null, started_at = null,
        running_heartbeat_at = null, soft_review_at = null, updated_at = ${moment(now)}
      from ended where j.id = ended.id
      returning j.id, j.prompt_id, j.org_id, j.created_by, j.run, 'job-returned'::text as event_kind,
        jsonb_build_object('from', 'running', 'to', 'queued', 'attempt', j.attempt, 'counted', false) as event_data),
    ${recordLostRuns(sql`null::text`, false, now)},
    ${recordMoves(now)}
    select ${movedColumns} from moved`)
  tellMoves(tx, rows, { by: 'claim holder' })
  if (rows.length > 0) {
    tx.signal({ topic: 'job-queued' })
    tx.signal({ topic: 'events' })
  }
  return rows.map((row) => row.id)
}
