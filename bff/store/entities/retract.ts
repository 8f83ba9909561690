import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../database/database.ts'
import { sqlArray } from '../database/sql-values.ts'
import { type Cancelling, cancelJobs } from '../jobs/cancel-job.ts'
import { moveFollowers } from '../jobs/move-followers.ts'
import { moment } from '../jobs/transition.ts'

/** One prompt, or all prompts of a thread; whose they are is the caller's to check. */
export type WhichPrompts = { promptId: string } | { threadId: string }

interface CurrentJob {
  id: string
  prompt_id: string
  state: string
}

/** Either what was hidden, or the job that runs and forbids it; nothing is written then. */
export type Retraction = { retracted: string[] } | { running: { jobId: string; promptId: string } }

/**
 * Deletes: prompts and their answers become `retracted`, which hides them everywhere; what waits is cancelled in the
 * same transaction, and what waited for them is held. The thread goes with its last prompt. Each prompt's event makes
 * the deletion travel. A context that was promoted from an answer is knowledge of its own and stays.
 */
export async function retractPrompts(tx: Tx, which: WhichPrompts, by: Cancelling): Promise<Retraction> {
  const { actor, now } = by
  const jobs = await lockedJobs(tx, which)
  const running = jobs.find((job) => job.state === 'running')
  if (running) return { running: { jobId: running.id, promptId: running.prompt_id } }
  const waiting = jobs.filter((job) => job.state === 'queued')
  if (waiting.length > 0)
    await cancelJobs(
      tx,
      waiting.map((job) => job.id),
      by,
    )
  const ids = jobs.map((job) => job.prompt_id)
  if (ids.length === 0) return { retracted: [] }
  await tx.rows(sql`
    with wanted as (select id from entity where id = any(${sqlArray(ids, 'uuid')}) order by id for update),
    hidden as (
      update entity p set state_class = 'retracted', revision = p.revision + 1, updated_at = ${moment(now)}
      from wanted w where p.id = w.id
      returning p.id, p.org_id, p.created_by, p.correlation_id),
    answers as (
      update entity r set state_class = 'retracted', revision = r.revision + 1, updated_at = ${moment(now)}
      from edge f where f.from_id = any(${sqlArray(ids, 'uuid')}) and f.kind = 'flows-to' and r.id = f.to_id
      returning r.id),
    lanes as (
      update thread t set retracted_at = ${moment(now)}
      where t.id in (select correlation_id from hidden) and t.retracted_at is null and not exists (
        select from entity p where p.correlation_id = t.id and p.kind = 'prompt' and p.state_class <> 'retracted'
          and p.id <> all(${sqlArray(ids, 'uuid')}))
      returning t.id)
    insert into event (org_id, owner, prompt_id, kind, data, at)
    select h.org_id, h.created_by, h.id, 'entity-retracted', jsonb_build_object('actor', ${actor}::text), ${moment(now)}
    from hidden h order by h.id`)
  await moveFollowers(tx, ids, 'cancelled', now)
  tx.signal({ topic: 'events' })
  return { retracted: ids }
}

/**
 * The current jobs of what is to go, locked. Again until nothing is new: whoever held one of these locks may have added
 * a job for the same prompt, or a prompt that continues it, which only a later statement sees.
 */
async function lockedJobs(tx: Tx, which: WhichPrompts): Promise<CurrentJob[]> {
  for (let known: string | null = null; ; ) {
    const jobs = await tx.rows<CurrentJob>(sql`
      select j.id, j.prompt_id, j.state
      from entity p join job j on j.prompt_id = p.id and j.state <> 'superseded'
      where p.kind = 'prompt' and p.state_class <> 'retracted' and ${matching(which)}
      order by j.id for update of j`)
    const found = jobs.map((job) => job.id).join()
    if (found === known) return jobs
    known = found
  }
}

function matching(which: WhichPrompts): SQL {
  return 'promptId' in which
    ? sql`p.id = ${which.promptId}::uuid`
    : sql`p.correlation_id = ${which.threadId}::uuid`
}

/** Whose a thread is; null for one that is not there. A deleted one is still somebody's. */
export async function readThreadOwner(
  tx: Pick<Tx, 'rows'>,
  threadId: string,
): Promise<{ orgId: string; personId: string } | null> {
  const [row] = await tx.rows<{ orgId: string; personId: string }>(sql`
    select org_id as "orgId", created_by as "personId" from entity
    where correlation_id = ${threadId}::uuid and kind = 'prompt' limit 1`)
  return row ?? null
}
