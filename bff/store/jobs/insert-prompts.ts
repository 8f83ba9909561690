import { sql } from 'drizzle-orm'
import type { Signal } from '../../domain/signals.ts'
import type { Tx } from '../database/database.ts'
import { sqlJson } from '../database/sql-values.ts'
import { grantLocked, lockOrgs } from '../permits/grant-permits.ts'
import { tellMove } from './tell-moves.ts'

/** A prompt and its first job, ready to be stored; every text checked, every id chosen. */
export interface NewPrompt {
  prompt_id: string
  job_id: string
  org_id: string
  created_by: string
  parent_id: string | null
  /** The prompt it runs after without continuing it; its thread may be another one. */
  after_id: string | null
  correlation_id: string
  body: string
  meta: { request_digest: string }
  title: string
  priority: number
  max_attempts: number
  budget: string
  provider: string
  model: string
  execution_options: Record<string, unknown>
  scheduled_for: string | null
  available_at: string
  claim_rank: number
  batch_id: string | null
  created_at: string
  /** The zone in which its time was given. */
  time_zone?: string | null
  /** The recurring prompt that it is a run of: planned for when, and for how many planned times beside. */
  run_of?: { schedule_id: string; planned_at: string; missed: number }
  /** It hangs at its parent and does not wait for it. */
  never_waits?: boolean
}

/**
 * Stores many prompts with their jobs, edges, threads and events in one statement, so that submits that wait
 * together share one commit (DESIGN §8). A prompt whose id exists already is left as it is.
 *
 * Running after an unfinished prompt, `after_id` or else the parent: its current job is locked against settling
 * meanwhile (`for share`), so that a follower is either seen by the settling transaction or sees the settled state;
 * never neither. A prompt may run after another of the same call: those are new, so it waits.
 *
 * A run of a recurring prompt waits for an unfinished parent only: nobody may be there to release it from a failed one.
 *
 * Rows are inserted in the order of their ids, so that two calls with ids in common wait for one another in one order.
 *
 * @throws PredecessorMovedError when one was retried or deleted at that moment; the same again, looked at anew, will do.
 * @returns the ids that were new. All predecessors must exist, parents in the same thread, and a parent that is not the
 * predecessor must be settled; ids must be distinct.
 */
export async function insertPrompts(
  tx: Tx,
  prompts: readonly NewPrompt[],
  limits: { orgConcurrency: number; now: Date },
): Promise<Set<string>> {
  const grant = { orgIds: prompts.map((prompt) => prompt.org_id), ...limits, wait: false }
  const inserting = tx.rows<{ id: string; lost: boolean }>(sql`
    with wanted as materialized (
      select * from jsonb_to_recordset(${sqlJson(prompts)}) as w(
        prompt_id uuid, job_id uuid, org_id uuid, created_by uuid, parent_id uuid, after_id uuid, correlation_id uuid,
        body text, meta jsonb, title text, priority smallint, max_attempts smallint, budget text, provider text, model text,
        execution_options jsonb, scheduled_for timestamptz, available_at timestamptz, claim_rank bigint,
        batch_id uuid, created_at timestamptz, time_zone text, run_of jsonb, never_waits boolean)),
    stored as materialized (
      select j.prompt_id, j.state, j.hold_reason from job j join entity e on e.id = j.prompt_id
      where j.prompt_id in (select parent_id from wanted union select after_id from wanted) and j.state <> 'superseded'
        and e.state_class <> 'retracted'
      order by j.id for share of j, e),
    made as (
      insert into entity (id, kind, org_id, created_by, parent_id, correlation_id, causation_id, truth_class, body,
                          meta, created_at, updated_at)
      select prompt_id, 'prompt', org_id, created_by, parent_id, correlation_id, parent_id, 'asserted', body,
             meta, created_at, created_at
      from wanted order by prompt_id on conflict (id) do nothing returning id),
    fresh as (
      select w.*, case when w.never_waits is not true then coalesce(w.after_id, w.parent_id) end as first_id
      from wanted w join made m on m.id = w.prompt_id),
    threads as (
      insert into thread (id, org_id, created_by, title, row_order, created_at)
      select correlation_id, org_id, created_by, title, (extract(epoch from created_at) * 1000)::bigint, created_at
      from fresh where parent_id is null order by prompt_id on conflict (id) do nothing returning id),
    edges as (
      insert into edge (from_id, to_id, kind, created_at)
      select parent_id, prompt_id, 'continues', created_at from fresh where parent_id is not null returning to_id),
    jobs as (
      insert into job (id, prompt_id, org_id, created_by, priority, max_attempts, budget, provider, model,
                       execution_options, scheduled_for, available_at, claim_rank, batch_id, blocked_by,
                       hold_reason, schedule_id, time_zone, created_at, updated_at)
      select f.job_id, f.prompt_id, f.org_id, f.created_by, f.priority, f.max_attempts, f.budget, f.provider, f.model,
             f.execution_options, f.scheduled_for, f.available_at, f.claim_rank, f.batch_id,
             case when m.id is not null or s.state <> 'succeeded' and (
               f.run_of is null or s.state in ('queued', 'running') and s.hold_reason is null) then f.first_id end,
             case when f.run_of is null and s.state in ('failed', 'cancelled') then s.state end,
             (f.run_of->>'schedule_id')::uuid, f.time_zone, f.created_at, f.created_at
      from fresh f left join stored s on s.prompt_id = f.first_id left join made m on m.id = f.first_id
      returning id, prompt_id, org_id, created_by, priority, blocked_by, hold_reason, created_at),
    told as (
      insert into event (org_id, owner, prompt_id, job_id, run, kind, data, at)
      select j.org_id, j.created_by, j.prompt_id, j.id, 0, 'job-queued',
             jsonb_strip_nulls(jsonb_build_object('from', null, 'to', 'queued', 'priority', j.priority,
               'actor', j.created_by, 'after', j.blocked_by, 'held', j.hold_reason)) || coalesce(f.run_of, '{}'),
             j.created_at
      from jobs j join fresh f on f.prompt_id = j.prompt_id order by j.created_at, j.id returning seq)
    select f.prompt_id as id,
      f.first_id is not null and s.state is null and m.id is null
      or coalesce(f.parent_id <> f.first_id, false)
        and (p.state is null and k.id is null or p.state in ('queued', 'running')) as lost
    from fresh f
    left join stored s on s.prompt_id = f.first_id left join made m on m.id = f.first_id
    left join stored p on p.prompt_id = f.parent_id left join made k on k.id = f.parent_id`)
  const [rows, locked] = await Promise.all([inserting, lockOrgs(tx, grant)])
  // A retry or a deletion committed between our snapshot and its lock: only a new statement sees what is there now.
  if (rows.some((row) => row.lost)) throw new PredecessorMovedError()
  await grantLocked(tx, grant, locked)
  for (const signal of queuedSignals(prompts, limits.now)) tx.signal(signal)
  tx.signal({ topic: 'events' })
  const made = new Set(rows.map((row) => row.id))
  for (const one of prompts) if (made.has(one.prompt_id)) tellQueued(tx, one)
  return made
}

function tellQueued(tx: Tx, { job_id, prompt_id, org_id, created_by, provider }: NewPrompt): void {
  const job = { jobId: job_id, promptId: prompt_id, orgId: org_id, run: 0, provider }
  tellMove(tx, job, { kind: 'job-queued', from: null, to: 'queued', by: created_by })
}

/**
 * One for what may be claimed now, one for the earliest of what may be later. A claim passes by a job that is locked, so
 * whoever held a predecessor says afterwards that there may be something to claim.
 */
function queuedSignals(prompts: readonly NewPrompt[], now: Date): Signal[] {
  const times = prompts.map((prompt) => new Date(prompt.available_at).getTime())
  const later = times.filter((time) => time > now.getTime())
  const [first] = later.sort((a, b) => a - b)
  const held = prompts.some((prompt) => prompt.parent_id !== null || prompt.after_id !== null)
  return [
    ...(held || later.length < times.length ? [{ topic: 'job-queued' } as const] : []),
    ...(first === undefined ? [] : [{ topic: 'job-queued', dueAt: new Date(first).toISOString() } as const]),
  ]
}

/** A predecessor was deleted, or its current job replaced, while the submit waited for it, so that neither could be seen. */
export class PredecessorMovedError extends Error {
  constructor() {
    super('a predecessor was retried or deleted meanwhile')
    this.name = 'PredecessorMovedError'
  }
}
