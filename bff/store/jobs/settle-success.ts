import { sql } from 'drizzle-orm'
import type { Tx } from '../database/database.ts'
import { sqlJson } from '../database/sql-values.ts'
import { freedPermits } from '../permits/hand-on.ts'
import { type LedgerEntry, recordRun } from './ledger-row.ts'
import { moveFollowers } from './move-followers.ts'
import { type MovedRow, movedColumns, runWords, tellMoves } from './tell-moves.ts'
import { fromStates, heldBy, moment, recordMoves, toState } from './transition.ts'

export interface SuccessfulRun {
  claim: { jobId: string; token: string; run: number; orgId: string; permit: number | null }
  promptId: string
  attempt: number
  startedAt: Date
  /** The id the answer should have, and the one for the case that another text holds it already. */
  responseId: string
  fallbackResponseId: string
  text: string
  /** `finish_reason`, `model`, `practice`, `output_tokens`: what the field says of the answer. */
  meta: Record<string, unknown>
  sourceRefs: readonly Record<string, unknown>[]
  ledger: LedgerEntry
  orgConcurrency: number
  now: Date
}

/**
 * A whole answer: response, `flows-to` edge, ledger, event and the job's end in one transaction, under the fence;
 * followers of the prompt are released in it.
 *
 * A response id that exists already with the same text is discarded quietly: it is the same answer (DESIGN §5). With
 * another text it is a provider that repeats its request ids, and the run's own id is taken, lest an answer be lost.
 * @returns false when the claim is lost; nothing is written then.
 */
export async function settleSuccess(tx: Tx, run: SuccessfulRun): Promise<boolean> {
  const { now } = run
  const settling = tx.rows<MovedRow>(sql`
    with chosen as materialized (
      select case when exists (select from entity e where e.id = ${run.responseId}::uuid and e.body <> ${run.text})
        then ${run.fallbackResponseId}::uuid else ${run.responseId}::uuid end as answer_id),
    moved as (
      update job j set state = ${toState('succeed')}, outcome = 'succeeded', finished_at = ${moment(now)},
        worker_claim = null, permit = null, permit_at = null, response_id = answer_id, error_kind = null, error_message = null,
        rate_limited_since = null, soft_review_at = null, updated_at = ${moment(now)}
      from chosen where ${heldBy(run.claim)} and j.state in ${fromStates('succeed')}
      returning j.id, j.prompt_id, j.org_id, j.created_by, j.run, 'job-succeeded'::text as event_kind,
        jsonb_build_object('from', 'running', 'to', 'succeeded', 'response_id', j.response_id) as event_data),
    answer as (
      insert into entity (id, kind, org_id, created_by, parent_id, correlation_id, causation_id, source_refs,
                          truth_class, body, meta, created_at, updated_at)
      select answer_id, 'response', p.org_id, p.created_by, p.id, p.correlation_id, p.id,
             ${sqlJson(run.sourceRefs)}, 'generated', ${run.text}, ${sqlJson(run.meta)}, ${moment(now)}, ${moment(now)}
      from moved m join entity p on p.id = m.prompt_id cross join chosen on conflict (id) do nothing returning id),
    flow as (
      insert into edge (from_id, to_id, kind, created_at)
      select m.prompt_id, answer_id, 'flows-to', ${moment(now)} from moved m cross join chosen
      on conflict do nothing returning to_id),
    ${recordRun(run.ledger, { attempt: run.attempt, startedAt: run.startedAt, keepPartial: false }, now)},
    ${recordMoves(now)}
    select ${movedColumns} from moved`)
  const { jobId, orgId, permit } = run.claim
  // Sent along: `xmin` says that it was this transaction that brought the job there, and not an earlier one of the same
  // run whose commit was not heard of, which has handed the permit on already.
  const moving = moveFollowers(tx, [run.promptId], 'succeeded', now, {
    freed: freedPermits([{ org_id: orgId, freed: permit }], run.orgConcurrency),
    jobIds: [jobId],
    provided: sql`exists (select from job where id = ${jobId}::uuid and state = 'succeeded'
      and xmin = pg_current_xact_id()::xid)`,
  })
  const [rows] = await Promise.all([settling, moving])
  if (rows.length === 0) return false
  tellMoves(tx, rows, runWords(run))
  tx.signal({ topic: 'events' })
  return true
}
