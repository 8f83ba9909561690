import { sql } from 'drizzle-orm'
import type { Tx } from '../database/database.ts'
import { grantPermits } from '../permits/grant-permits.ts'
import { moveFollowers } from './move-followers.ts'
import { type MovedRow, movedColumns, tellMoves } from './tell-moves.ts'
import { fromStates, moment, recordMoves, toState } from './transition.ts'
import { currentJobWhere, type WhichJob } from './which.ts'

export interface Retry {
  jobId: string
  actor: string
  provider: string
  model: string
  agingMs: number
  orgConcurrency: number
  now: Date
}

/**
 * A retry: the settled job is superseded (its outcome, answer and error stay as they were) and a new one is queued for
 * the same prompt, in one transaction. Of many retries of a job one wins: the others find it superseded already.
 * While the prompt it continues is unfinished the new job waits for it, as at a submit; the parent's row is locked
 * against settling meanwhile. A parent that ended badly holds nothing: asking again is asking without it.
 *
 * The new job is never older than the one it replaces, even if the clock was set back: the newest answer is shown.
 *
 * @returns the prompt, or null when no settled current job was there to supersede.
 */
export async function supersedeWithNew(
  tx: Tx,
  which: WhichJob,
  retry: Retry,
): Promise<{ promptId: string } | null> {
  const { now } = retry
  const old = await tx.rows<MovedRow>(sql`
    update job set state = ${toState('supersede')}, updated_at = ${moment(now)}
    where ${currentJobWhere(which)} and state in ${fromStates('supersede')}
    returning id, prompt_id, org_id, run, 'job-superseded' as event_kind,
      jsonb_build_object('from', outcome, 'to', state) as event_data`)
  const [row] = old
  if (!row) return null
  tellMoves(tx, old, { by: retry.actor })
  const made = await tx.rows<MovedRow>(sql`
    with parent as materialized (
      select j.prompt_id from entity p join job j on j.prompt_id = p.parent_id
      where p.id = ${row.prompt_id}::uuid and j.state in ('queued', 'running') for share of j),
    moved as (
      insert into job (id, prompt_id, org_id, created_by, priority, max_attempts, budget, provider, model,
                       execution_options, available_at, claim_rank, blocked_by, supersedes, batch_id, created_at,
                       updated_at)
      select ${retry.jobId}::uuid, o.prompt_id, o.org_id, o.created_by, o.priority, o.max_attempts, o.budget,
             ${retry.provider}, ${retry.model}, o.execution_options, ${moment(now)},
             ${now.getTime()}::bigint + o.priority * ${retry.agingMs}::bigint, (select prompt_id from parent), o.id,
             o.batch_id, greatest(${moment(now)}, o.created_at + interval '1 millisecond'), ${moment(now)}
      from job o where o.id = ${row.id}::uuid
      returning id, prompt_id, org_id, created_by, run, 'job-queued'::text as event_kind,
        jsonb_build_object('from', null, 'to', 'queued', 'supersedes', supersedes, 'actor', ${retry.actor}::text) as event_data),
    ${recordMoves(now)}
    select ${movedColumns} from moved`)
  tellMoves(tx, made, { by: retry.actor })
  await moveFollowers(tx, [row.prompt_id], 'retried', now)
  const { orgConcurrency } = retry
  await grantPermits(tx, { orgIds: made.map((one) => one.org_id), orgConcurrency, now, wait: false })
  tx.signal({ topic: 'job-queued' })
  tx.signal({ topic: 'events' })
  return { promptId: row.prompt_id }
}
