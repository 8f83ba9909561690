import { type SQL, sql } from 'drizzle-orm'
import { fromOf, type JobEvent, toOf } from '../../domain/job-state.ts'

/**
 * States as literals, taken from the transition table so that no statement invents a move. They are literals, not
 * parameters, because partial indexes are only used where the planner can see the value.
 */
export function fromStates(event: JobEvent): SQL {
  return sql.raw(`(${fromOf(event).map(quoted).join(', ')})`)
}

/** The state that `event` leads to, as a literal. */
export function toState(event: JobEvent): SQL {
  return sql.raw(quoted(toOf(event)))
}

/** A moment as a parameter of a known type; the clock is ours, so that tests can move it. */
export function moment(at: Date): SQL {
  return sql`${at}::timestamptz`
}

/**
 * What every move of jobs does beside the move itself, in the same statement: the prompts' revisions rise and one
 * event a job is written. It reads a CTE `moved (id, prompt_id, org_id, created_by, run, event_kind, event_data)`.
 * Job rows are locked before prompt rows, since `bumped` reads what `moved` returned.
 */
export function recordMoves(now: Date): SQL {
  return sql`
    bumped as (
      update entity e set revision = e.revision + 1, updated_at = ${moment(now)}
      from (select distinct prompt_id from moved) m where e.id = m.prompt_id returning e.id),
    told as (
      insert into event (org_id, owner, prompt_id, job_id, run, kind, data, at)
      select m.org_id, m.created_by, m.prompt_id, m.id, m.run, m.event_kind, m.event_data, ${moment(now)}
      from moved m order by m.id returning seq)`
}

/** The fence of every write by a worker: the job runs, and in the name of exactly this claim. */
export function heldBy(claim: { jobId: string; token: string }): SQL {
  return sql`id = ${claim.jobId}::uuid and state = 'running' and worker_claim = ${claim.token}`
}

function quoted(state: string): string {
  return `'${state}'`
}
