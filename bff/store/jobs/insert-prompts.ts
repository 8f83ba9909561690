import { sql } from 'drizzle-orm'
import type { Tx } from '../database/database.ts'
import { sqlJson } from '../database/sql-values.ts'

/** A prompt and its first job, ready to be stored; every text checked, every id chosen. */
export interface NewPrompt {
  prompt_id: string
  job_id: string
  org_id: string
  created_by: string
  parent_id: string | null
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
  created_at: string
}

/**
 * Stores many prompts with their jobs, edges, threads and events in one statement, so that submits that wait
 * together share one commit (DESIGN §8). A prompt whose id exists already is left as it is.
 *
 * Continuing an unfinished prompt: the parent's current job is locked against settling meanwhile (`for share`), so
 * that a follower is either seen by the settling transaction or sees the settled state; never neither.
 *
 * @throws ParentRetriedError when a parent was retried at that moment; the same again will do.
 * @returns the ids that were new. All parents must exist and belong to the same thread; ids must be distinct.
 */
export async function insertPrompts(tx: Tx, prompts: readonly NewPrompt[]): Promise<Set<string>> {
  const rows = await tx.rows<{ id: string; lost: boolean }>(sql`
    with wanted as materialized (
      select * from jsonb_to_recordset(${sqlJson(prompts)}) as w(
        prompt_id uuid, job_id uuid, org_id uuid, created_by uuid, parent_id uuid, correlation_id uuid, body text,
        meta jsonb, title text, priority smallint, max_attempts smallint, budget text, provider text, model text,
        execution_options jsonb, scheduled_for timestamptz, available_at timestamptz, claim_rank bigint,
        created_at timestamptz)),
    parents as materialized (
      select j.prompt_id, j.state from job j
      where j.prompt_id in (select parent_id from wanted where parent_id is not null) and j.state <> 'superseded'
      order by j.id for share),
    made as (
      insert into entity (id, kind, org_id, created_by, parent_id, correlation_id, causation_id, truth_class, body,
                          meta, created_at, updated_at)
      select prompt_id, 'prompt', org_id, created_by, parent_id, correlation_id, parent_id, 'asserted', body,
             meta, created_at, created_at
      from wanted on conflict (id) do nothing returning id),
    fresh as (select w.* from wanted w join made m on m.id = w.prompt_id),
    threads as (
      insert into thread (id, org_id, created_by, title, row_order, created_at)
      select correlation_id, org_id, created_by, title, (extract(epoch from created_at) * 1000)::bigint, created_at
      from fresh where parent_id is null on conflict (id) do nothing returning id),
    edges as (
      insert into edge (from_id, to_id, kind, created_at)
      select parent_id, prompt_id, 'continues', created_at from fresh where parent_id is not null returning to_id),
    jobs as (
      insert into job (id, prompt_id, org_id, created_by, priority, max_attempts, budget, provider, model,
                       execution_options, scheduled_for, available_at, claim_rank, blocked_by, hold_reason,
                       created_at, updated_at)
      select f.job_id, f.prompt_id, f.org_id, f.created_by, f.priority, f.max_attempts, f.budget, f.provider, f.model,
             f.execution_options, f.scheduled_for, f.available_at, f.claim_rank,
             case when p.state <> 'succeeded' then f.parent_id end,
             case when p.state in ('failed', 'cancelled') then p.state end,
             f.created_at, f.created_at
      from fresh f left join parents p on p.prompt_id = f.parent_id
      returning id, prompt_id, org_id, created_by, priority, blocked_by, hold_reason, created_at),
    told as (
      insert into event (org_id, owner, prompt_id, job_id, run, kind, data, at)
      select org_id, created_by, prompt_id, id, 0, 'job-queued',
             jsonb_strip_nulls(jsonb_build_object('from', null, 'to', 'queued', 'priority', priority,
               'actor', created_by, 'after', blocked_by, 'held', hold_reason)), created_at
      from jobs order by created_at, id returning seq)
    select m.id, f.parent_id is not null and not exists (select from parents p where p.prompt_id = f.parent_id) as lost
    from made m join fresh f on f.prompt_id = m.id`)
  // A retry of the parent committed between our snapshot and its lock: its new job is only visible to a new statement.
  if (rows.some((row) => row.lost)) throw new ParentRetriedError()
  tx.signal({ topic: 'job-queued' })
  tx.signal({ topic: 'events' })
  return new Set(rows.map((row) => row.id))
}

/** The parent's current job was replaced while the submit waited for it, so that neither could be seen. */
export class ParentRetriedError extends Error {
  constructor() {
    super('a parent was retried meanwhile')
    this.name = 'ParentRetriedError'
  }
}
