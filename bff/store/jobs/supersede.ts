import { sql } from 'drizzle-orm'
import type { Tx } from '../database/database.ts'
import { moveFollowers } from './move-followers.ts'
import { fromStates, moment, recordMoves, toState } from './transition.ts'
import { currentJobWhere, type WhichJob } from './which.ts'

export interface Retry {
  jobId: string
  actor: string
  provider: string
  model: string
  agingMs: number
  now: Date
}

/**
 * A retry: the settled job is superseded (its outcome, answer and error stay as they were) and a new one is queued for
 * the same prompt, in one statement. Of many retries of a job one wins: the others find it superseded already.
 *
 * @returns the prompt, or null when no settled current job was there to supersede.
 */
export async function supersedeWithNew(
  tx: Tx,
  which: WhichJob,
  retry: Retry,
): Promise<{ promptId: string } | null> {
  const { now } = retry
  const [row] = await tx.rows<{ prompt_id: string }>(sql`
    update job set state = ${toState('supersede')}, updated_at = ${moment(now)}
    where ${currentJobWhere(which)} and state in ${fromStates('supersede')}
    returning id, prompt_id`)
  if (!row) return null
  await tx.rows(sql`
    with moved as (
      insert into job (id, prompt_id, org_id, created_by, priority, max_attempts, budget, provider, model,
                       execution_options, available_at, claim_rank, supersedes, batch_id, created_at, updated_at)
      select ${retry.jobId}::uuid, o.prompt_id, o.org_id, o.created_by, o.priority, o.max_attempts, o.budget,
             ${retry.provider}, ${retry.model}, o.execution_options, ${moment(now)},
             ${now.getTime()}::bigint + o.priority * ${retry.agingMs}::bigint, o.id, o.batch_id, ${moment(now)}, ${moment(now)}
      from (select * from job where prompt_id = ${row.prompt_id}::uuid and state = 'superseded'
            order by created_at desc, id desc limit 1) o
      returning id, prompt_id, org_id, created_by, run, 'job-queued'::text as event_kind,
        jsonb_build_object('from', null, 'to', 'queued', 'supersedes', supersedes, 'actor', ${retry.actor}::text) as event_data),
    ${recordMoves(now)}
    select id from moved`)
  await moveFollowers(tx, [row.prompt_id], 'retried', now)
  tx.signal({ topic: 'job-queued' })
  tx.signal({ topic: 'events' })
  return { promptId: row.prompt_id }
}
