import { sql } from 'drizzle-orm'
import type { RetryDecision } from '../../domain/retry-policy.ts'
import type { Tx } from '../database/database.ts'
import { recordRun } from './ledger-row.ts'
import type { FailedRun } from './settle-failure.ts'
import { fromStates, heldBy, moment, recordMoves, toState } from './transition.ts'

type Later = Exclude<RetryDecision, { event: 'fail' }>

/**
 * A failed attempt that will be tried again: back in the queue, not before its time. Only `retry-later` spends an
 * attempt. @returns false when the claim is lost; nothing is written then.
 */
export async function requeueFailed(tx: Tx, run: FailedRun, decision: Later): Promise<boolean> {
  const { now, failure } = run
  const spent = decision.event === 'retry-later' ? 1 : 0
  const since = decision.event === 'wait-for-provider' ? decision.rateLimitedSince : null
  const rows = await tx.rows<{ id: string }>(sql`
    with moved as (
      update job j set state = ${toState(decision.event)}, attempt = j.attempt + ${spent}::int, worker_claim = null,
        started_at = null, running_heartbeat_at = null, available_at = ${moment(decision.availableAt)},
        rate_limited_since = ${since}::timestamptz, error_kind = ${failure.kind}, error_message = ${failure.message},
        soft_review_at = null, updated_at = ${moment(now)}
      where ${heldBy(run.claim)} and state in ${fromStates(decision.event)}
      returning j.id, j.prompt_id, j.org_id, j.created_by, j.run, 'attempt-failed'::text as event_kind,
        jsonb_build_object('from', 'running', 'to', 'queued', 'error_kind', j.error_kind, 'attempt', ${run.attempt}::int,
          'counted', ${spent}::int = 1, 'retry_at', j.available_at) as event_data),
    ${recordRun({ ...run.ledger, counted: spent === 1 }, { attempt: run.attempt, startedAt: run.startedAt, keepPartial: true }, now)},
    ${recordMoves(now)}
    select id from moved`)
  if (rows.length === 0) return false
  tx.signal({ topic: 'job-queued' })
  tx.signal({ topic: 'events' })
  return true
}
