import { type SQL, sql } from 'drizzle-orm'
import { DomainError } from '../../domain/errors.ts'
import type { Tx } from '../database/database.ts'
import { sqlArray, sqlJson } from '../database/sql-values.ts'
import { grantPermits } from '../permits/grant-permits.ts'
import { moveFollowers } from './move-followers.ts'
import { type MovedRow, movedColumns, tellMoves } from './tell-moves.ts'
import { fromStates, moment, recordMoves, toState } from './transition.ts'
import { currentJobWhere, type WhichJob } from './which.ts'

/** Who asks again, and when. */
export interface Retrying {
  actor: string
  agingMs: number
  orgConcurrency: number
  now: Date
}

export interface Retry extends Retrying {
  jobId: string
  provider: string
  model: string
}

/** The new job of one that is to be superseded. */
export interface Successor {
  oldJobId: string
  jobId: string
  provider: string
  model: string
}

/**
 * A retry: the settled job is superseded (its outcome, answer and error stay as they were) and a new one is queued for
 * the same prompt, in one transaction. Of many retries of a job one wins: the others find it superseded already.
 * While the prompt that it runs after, or else the one that it continues, is unfinished the new job waits for it, as at a
 * submit; that one's row is locked against settling meanwhile. One that ended badly holds nothing: asking again is asking
 * without it.
 *
 * The new job is never older than the one it replaces, even if the clock was set back: the newest answer is shown.
 *
 * @throws DomainError `gone` for a prompt that was deleted.
 * @returns the prompt, or null when no settled current job was there to supersede.
 */
export async function supersedeWithNew(
  tx: Tx,
  which: WhichJob,
  retry: Retry,
): Promise<{ promptId: string } | null> {
  const old = await markSuperseded(tx, currentJobWhere(which), retry)
  const [row] = old
  if (!row) return null
  await queueSuccessors(tx, old, [{ oldJobId: row.id, ...retry }], retry)
  return { promptId: row.prompt_id }
}

/**
 * The same for many settled jobs at once. One whose parent is retried with it waits for the parent's new answer.
 *
 * @throws DomainError `gone` when one of the prompts was deleted meanwhile; none is retried then.
 * @returns the old jobs that were superseded, of which each has its new one.
 */
export async function supersedeMany(
  tx: Tx,
  successors: readonly Successor[],
  by: Retrying,
): Promise<Set<string>> {
  const ids = successors.map((one) => one.oldJobId)
  const where = sql`id in (select id from job where id = any(${sqlArray(ids, 'uuid')}) order by id for update)`
  const old = await markSuperseded(tx, where, by)
  const superseded = new Set(old.map((row) => row.id))
  const won = successors.filter((one) => superseded.has(one.oldJobId))
  if (won.length > 0) await queueSuccessors(tx, old, won, by)
  return superseded
}

async function markSuperseded(tx: Tx, where: SQL, { actor, now }: Retrying): Promise<MovedRow[]> {
  const old = await tx.rows<MovedRow>(sql`
    update job set state = ${toState('supersede')}, updated_at = ${moment(now)}
    where ${where} and state in ${fromStates('supersede')}
    returning id, prompt_id, org_id, run, 'job-superseded' as event_kind,
      jsonb_build_object('from', outcome, 'to', state) as event_data`)
  tellMoves(tx, old, { by: actor })
  return old
}

async function queueSuccessors(
  tx: Tx,
  old: readonly MovedRow[],
  successors: readonly Successor[],
  { actor, agingMs, orgConcurrency, now }: Retrying,
): Promise<void> {
  const promptIds = old.map((row) => row.prompt_id)
  const prompts = sqlArray(promptIds, 'uuid')
  const made = await tx.rows<MovedRow>(sql`
    with firsts as materialized (
      select o.id, coalesce((o.execution_options->>'after')::uuid, e.parent_id) as first_id
      from jsonb_to_recordset(${sqlJson(successors)}) as w("oldJobId" uuid)
      join job o on o.id = w."oldJobId" join entity e on e.id = o.prompt_id),
    unfinished as materialized (
      select f.id, f.first_id from firsts f join job j on j.prompt_id = f.first_id
      where j.state in ('queued', 'running') order by j.id for share of j),
    moved as (
      insert into job (id, prompt_id, org_id, created_by, priority, max_attempts, budget, provider, model,
                       execution_options, available_at, claim_rank, blocked_by, supersedes, batch_id, schedule_id,
                       created_at, updated_at)
      select w."jobId", o.prompt_id, o.org_id, o.created_by, o.priority, o.max_attempts, o.budget,
             w.provider, w.model, o.execution_options, ${moment(now)},
             ${now.getTime()}::bigint + o.priority * ${agingMs}::bigint,
             coalesce((select u.first_id from unfinished u where u.id = o.id),
               (select f.first_id from firsts f where f.id = o.id and f.first_id = any(${prompts}))), o.id,
             o.batch_id, o.schedule_id, greatest(${moment(now)}, o.created_at + interval '1 millisecond'), ${moment(now)}
      from jsonb_to_recordset(${sqlJson(successors)}) as w("oldJobId" uuid, "jobId" uuid, provider text, model text)
      join job o on o.id = w."oldJobId" join entity e on e.id = o.prompt_id and e.state_class <> 'retracted'
      order by o.created_at, o.id
      returning id, prompt_id, org_id, created_by, run, 'job-queued'::text as event_kind,
        jsonb_build_object('from', null, 'to', 'queued', 'supersedes', supersedes, 'actor', ${actor}::text) as event_data),
    ${recordMoves(now)}
    select ${movedColumns} from moved`)
  // Deleted since the caller looked: the lock that the first statement waited for was the deletion's.
  if (made.length < successors.length) throw new DomainError('gone', 'This prompt was deleted.')
  tellMoves(tx, made, { by: actor })
  await moveFollowers(tx, promptIds, 'retried', now)
  await grantPermits(tx, { orgIds: made.map((one) => one.org_id), orgConcurrency, now, wait: false })
  tx.signal({ topic: 'job-queued' })
  tx.signal({ topic: 'events' })
}
