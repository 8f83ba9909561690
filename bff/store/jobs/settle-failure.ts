import { sql } from 'drizzle-orm'
import type { Failure } from '../../domain/failure.ts'
import type { Tx } from '../database/database.ts'
import { freedPermits } from '../permits/hand-on.ts'
import { type LedgerEntry, recordRun } from './ledger-row.ts'
import { moveFollowers } from './move-followers.ts'
import { type MovedRow, movedColumns, runWords, tellMoves } from './tell-moves.ts'
import { fromStates, heldBy, moment, recordMoves, toState } from './transition.ts'

export interface FailedRun {
  claim: { jobId: string; token: string }
  promptId: string
  attempt: number
  startedAt: Date
  failure: Failure
  /** Who was called: the provider whose gate a rate limit closes. */
  provider: string
  orgConcurrency: number
  ledger: LedgerEntry
  now: Date
}

/** The end of a job whose holder failed for good. @returns false when the claim is lost; nothing is written then. */
export async function settleFailure(tx: Tx, run: FailedRun): Promise<boolean> {
  const { now, failure } = run
  const rows = await tx.rows<MovedRow & { freed: number | null }>(sql`
    with held as (select id, permit from job where ${heldBy(run.claim)} for update),
    moved as (
      update job j set state = ${toState('fail')}, outcome = 'failed', finished_at = ${moment(now)}, worker_claim = null,
        permit = null, permit_at = null, error_kind = ${failure.kind}, error_message = ${failure.message}, soft_review_at = null, updated_at = ${moment(now)}
      from held where j.id = held.id and j.state in ${fromStates('fail')}
      returning j.id, j.prompt_id, j.org_id, j.created_by, j.run, held.permit as freed, 'job-failed'::text as event_kind,
        jsonb_build_object('from', 'running', 'to', 'failed', 'error_kind', j.error_kind, 'attempt', j.attempt) as event_data),
    ${recordRun(run.ledger, { attempt: run.attempt, startedAt: run.startedAt, keepPartial: true }, now)},
    ${recordMoves(now)}
    select ${movedColumns}, freed from moved`)
  if (rows.length === 0) return false
  tellMoves(tx, rows, runWords(run))
  await moveFollowers(tx, [run.promptId], 'failed', now, {
    freed: freedPermits(rows, run.orgConcurrency),
    jobIds: rows.map((row) => row.id),
  })
  tx.signal({ topic: 'events' })
  return true
}
