import { sql } from 'drizzle-orm'
import type { Queryable } from '../database/database.ts'
import { sqlArray } from '../database/sql-values.ts'
import type { AnswerMeta } from '../views/view-of-row.ts'

/** A prompt as a submit needs it: whose it is, where it hangs, what was asked when it was made. */
export interface StoredPrompt {
  id: string
  org_id: string
  created_by: string
  correlation_id: string
  state_class: string
  request_digest: string | null
  first_job_id: string
  /** Of its current job. */
  state: string
  created_at: Date
}

/** The stored prompts among `ids`, whoever owns them: the caller checks. */
export async function readPrompts(queryable: Queryable, ids: readonly string[]): Promise<StoredPrompt[]> {
  return queryable.rows<StoredPrompt>(sql`
    select p.id, p.org_id, p.created_by, p.correlation_id, p.state_class, p.meta->>'request_digest' as request_digest,
      p.created_at,
      (select j.state from job j where j.prompt_id = p.id and j.state <> 'superseded') as state,
      (select j.id from job j where j.prompt_id = p.id order by j.created_at, j.id limit 1) as first_job_id
    from entity p where p.id = any(${sqlArray(ids, 'uuid')}) and p.kind = 'prompt'`)
}

/** The newest prompt of a thread that nothing continues yet. */
export interface ThreadLeaf {
  thread_id: string
  id: string
  /** Of its current job. */
  state: string
  created_at: Date
}

/** The leaves of threads; those that are not there are left out. */
export async function newestLeaves(
  queryable: Queryable,
  threadIds: readonly string[],
): Promise<ThreadLeaf[]> {
  return queryable.rows<ThreadLeaf>(sql`
    select t.id as thread_id, p.id, p.created_at,
      (select j.state from job j where j.prompt_id = p.id and j.state <> 'superseded') as state
    from unnest(${sqlArray(threadIds, 'uuid')}) as t(id)
    cross join lateral (
      select p.id, p.created_at from entity p
      where p.correlation_id = t.id and p.kind = 'prompt' and p.state_class <> 'retracted'
        and not exists (select from entity k where k.parent_id = p.id and k.kind = 'prompt' and k.state_class <> 'retracted')
      order by p.created_at desc, p.id desc limit 1) p`)
}

/** A turn of the conversation before a prompt: what was asked and the answer shown, if there is one. */
export interface AncestorRow {
  id: string
  depth: number
  body: string
  answer: string | null
}

/**
 * The prompts from the thread's root down to `promptId` itself (depth 0), each once, with its current answer: that of
 * the newest job ever claimed. Deleted ones are left out, and count for nothing: what stands before them still leads here.
 */
export async function readAncestors(
  queryable: Queryable,
  promptId: string,
  depthMax: number,
): Promise<AncestorRow[]> {
  return queryable.rows<AncestorRow>(sql`
    with recursive line as (
      select id, parent_id, body, 0 as depth, false as deleted from entity
      where id = ${promptId}::uuid and kind = 'prompt'
      union all
      select p.id, p.parent_id, p.body, l.depth + case when p.state_class = 'retracted' then 0 else 1 end,
        p.state_class = 'retracted'
      from line l join entity p on p.id = l.parent_id and p.kind = 'prompt'
      where l.depth < ${depthMax}::int)
    select l.id, l.depth, l.body, r.body as answer
    from line l
    left join lateral (
      select k.response_id from job k where k.prompt_id = l.id and k.run > 0
      order by k.created_at desc, k.id desc limit 1) c on true
    left join entity r on r.id = c.response_id
    where not l.deleted
    order by l.depth desc`)
}

/** A prompt's whole texts. `partial` is what a failed or cancelled last run had received, never an answer. */
export interface PromptTexts {
  id: string
  body: string
  claimed_job_id: string | null
  response_id: string | null
  answer: string | null
  answer_meta: AnswerMeta | null
  answered_at: Date | null
  draft_job_id: string | null
  draft_run: number | null
  draft_text: string | null
  draft_chunks: number
  partial_job_id: string | null
  partial_run: number | null
  partial_text: string | null
}

/** The whole texts of prompts, in the order of creation. */
export async function readPromptTexts(queryable: Queryable, ids: readonly string[]): Promise<PromptTexts[]> {
  return queryable.rows<PromptTexts>(sql`
    select p.id, p.body, c.id as claimed_job_id, r.id as response_id, r.body as answer, r.meta as answer_meta,
      r.created_at as answered_at, j.id as draft_job_id, j.run as draft_run, d.text as draft_text,
      coalesce(d.chunks, 0) as draft_chunks, l.job_id as partial_job_id, l.run as partial_run, l.partial_text
    from entity p
    join job j on j.prompt_id = p.id and j.state <> 'superseded'
    left join lateral (
      select k.id, k.response_id from job k where k.prompt_id = p.id and k.run > 0
      order by k.created_at desc, k.id desc limit 1) c on true
    left join entity r on r.id = c.response_id
    left join lateral (
      select string_agg(x.text, '' order by x.seq) as text, count(*) as chunks from draft x
      where x.job_id = j.id and x.run = j.run) d on j.state = 'running'
    left join lateral (
      select y.job_id, y.run, y.partial_text from ledger y where y.job_id = j.id and y.run = j.run
        and y.partial_text is not null) l on j.state in ('failed', 'cancelled', 'queued')
    where p.id = any(${sqlArray(ids, 'uuid')}) and p.kind = 'prompt'
    order by p.created_at, p.id`)
}
