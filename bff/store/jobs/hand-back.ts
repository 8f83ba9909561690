import { sql } from 'drizzle-orm'
import type { Tx } from '../database/database.ts'
import { sqlArray } from '../database/sql-values.ts'
import { handOn } from '../permits/hand-on.ts'
import { gateLets } from '../permits/ready-job.ts'
import { recordLostRuns } from './ledger-row.ts'
import { type MovedRow, movedColumns, tellMoves } from './tell-moves.ts'
import { fromStates, moment, recordMoves, toState } from './transition.ts'

/**
 * Drain: the worker was told to stop, so its claims go back to the queue at once and the attempts are not counted.
 * Their permits stay with them, for they are ready at once, unless a provider's gate has closed meanwhile.
 *
 * @returns the ids of the jobs handed back; claims that were lost meanwhile are left alone.
 */
export async function handBack(tx: Tx, tokens: readonly string[], now: Date): Promise<string[]> {
  const rows = await tx.rows<MovedRow & { permit: number | null }>(sql`
    with ended as (
      select j.*, ${gateLets(sql`j`)} as lets from job j
      where state in ${fromStates('hand-back')} and worker_claim = any(${sqlArray(tokens, 'text')}) order by id for update),
    moved as (
      update job j set state = ${toState('hand-back')}, worker_claim = null, started_at = null,
        permit = case when ended.lets then j.permit end, permit_at = case when ended.lets then j.permit_at end,
        running_heartbeat_at = null, soft_review_at = null, updated_at = ${moment(now)}
      from ended where j.id = ended.id
      returning j.id, j.prompt_id, j.org_id, j.created_by, j.run,
        case when not ended.lets then ended.permit end as given_back, 'job-returned'::text as event_kind,
        jsonb_build_object('from', 'running', 'to', 'queued', 'attempt', j.attempt, 'counted', false) as event_data),
    ${recordLostRuns(sql`null::text`, false, now)},
    ${recordMoves(now)}
    select ${movedColumns}, given_back as permit from moved`)
  tellMoves(tx, rows, { by: 'claim holder' })
  const freed = rows.flatMap(({ org_id, permit }) => (permit === null ? [] : [{ org_id, permit }]))
  await handOn(tx, freed, now)
  if (rows.length > 0) {
    tx.signal({ topic: 'job-queued' })
    tx.signal({ topic: 'events' })
  }
  return rows.map((row) => row.id)
}
