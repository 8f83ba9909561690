import { sql } from 'drizzle-orm'
import type { RetryDecision } from '../../domain/retry-policy.ts'
import type { Tx } from '../database/database.ts'
import { closeGate } from '../permits/gates.ts'
import { freedPermits } from '../permits/hand-on.ts'
import { recordRun } from './ledger-row.ts'
import { moveFollowers } from './move-followers.ts'
import type { FailedRun } from './settle-failure.ts'
import { type MovedRow, movedColumns, runWords, tellMoves } from './tell-moves.ts'
import { fromStates, heldBy, moment, recordMoves, toState } from './transition.ts'

type Later = Exclude<RetryDecision, { event: 'fail' }>

/**
 * A failed attempt that will be tried again: back in the queue, not before its time, and without its permit until then.
 * Only `retry-later` spends an attempt; `wait-for-provider` closes the provider's gate.
 * @returns false when the claim is lost; nothing is written then.
 */
export async function requeueFailed(tx: Tx, run: FailedRun, decision: Later): Promise<boolean> {
  const { now, failure } = run
  const spent = decision.event === 'retry-later' ? 1 : 0
  const since = decision.event === 'wait-for-provider' ? decision.rateLimitedSince : null
  const rows = await tx.rows<MovedRow & { freed: number | null }>(sql`
    with held as (select id, permit from job where ${heldBy(run.claim)} for update),
    moved as (
      update job j set state = ${toState(decision.event)}, attempt = j.attempt + ${spent}::int, worker_claim = null,
        permit = null, permit_at = null,
        started_at = null, running_heartbeat_at = null, available_at = ${moment(decision.availableAt)},
        rate_limited_since = ${since}::timestamptz, error_kind = ${failure.kind}, error_message = ${failure.message},
        soft_review_at = null, updated_at = ${moment(now)}
      from held where j.id = held.id and j.state in ${fromStates(decision.event)}
      returning j.id, j.prompt_id, j.org_id, j.created_by, j.run, held.permit as freed, 'attempt-failed'::text as event_kind,
        jsonb_build_object('from', 'running', 'to', 'queued', 'error_kind', j.error_kind, 'attempt', ${run.attempt}::int,
          'counted', ${spent}::int = 1, 'retry_at', j.available_at) as event_data),
    ${recordRun({ ...run.ledger, counted: spent === 1 }, { attempt: run.attempt, startedAt: run.startedAt, keepPartial: true }, now)},
    ${recordMoves(now)}
    select ${movedColumns}, freed from moved`)
  if (rows.length === 0) return false
  tellMoves(tx, rows, runWords(run))
  const freed = freedPermits(rows, run.orgConcurrency)
  if (decision.event === 'wait-for-provider') {
    const { orgConcurrency } = run
    const gate = { provider: run.provider, until: decision.availableAt, orgConcurrency, now }
    freed.push(...(await closeGate(tx, gate)))
    await moveFollowers(tx, [], 'retried', now, { freed, jobIds: [] })
  } else {
    await moveFollowers(tx, [], 'retried', now, { freed, jobIds: rows.map((row) => row.id) })
  }
  tx.signal({ topic: 'job-queued', dueAt: decision.availableAt.toISOString() })
  tx.signal({ topic: 'events' })
  return true
}
