import { type SQL, sql } from 'drizzle-orm'
import type { PromptView } from '../../../shared/prompt-view.ts'
import type { Queryable } from '../database/database.ts'
import { sqlArray } from '../database/sql-values.ts'
import { moment } from '../jobs/transition.ts'
import { type ViewRow, viewOfRow } from './view-of-row.ts'

/** A view and whose it is, since the feed is routed by owner. */
export interface OwnedView {
  orgId: string
  owner: string
  view: PromptView
}

/**
 * The views of the prompts that `where` selects (of `p`, the prompt), in `order`, by one statement, so that each is of
 * one moment. `j` is the current job, `c` the newest job ever claimed: its answer is the one shown, so that a retry
 * that is still waiting, or was cancelled before its claim, leaves the old answer in place. Deleted prompts are left
 * out unless `hidden` is nothing.
 */
async function selectViews(
  queryable: Queryable,
  where: SQL,
  order: SQL,
  hidden = sql`p.state_class <> 'retracted' and`,
): Promise<OwnedView[]> {
  const rows = await queryable.rows<ViewRow>(sql`
    select p.id, p.org_id, p.created_by, p.revision, p.state_class = 'retracted' as deleted, p.parent_id, p.correlation_id, p.verdict,
      p.created_at, p.updated_at, left(p.body, 1200) as text_head,
      j.id as job_id, j.state, j.attempt, j.max_attempts, j.priority, j.error_kind, j.error_message, j.available_at,
      j.scheduled_for, j.rate_limited_since, j.blocked_by, j.hold_reason, j.run, j.provider, j.model, j.budget,
      j.soft_review_at, j.claimed_at, j.started_at, j.finished_at, j.batch_id,
      j.schedule_id, j.time_zone, j.execution_options->>'scheduled_for' as asked_time,
      case when j.scheduled_for is not null then (
        select min(y.started_at) from (
          select j.started_at union all
          select l.at - l.run_ms * interval '1 millisecond' from ledger l where l.job_id = j.id) y(started_at)
        where y.started_at >= j.scheduled_for) end as first_started_at,
      c.response_id, left(r.body, 1200) as answer_head, r.meta as answer_meta,
      coalesce(r.state_class = 'promoted', false) as promoted,
      t.title as thread_title, s.job_id is not distinct from c.id and c.id is not null as seen,
      x.backend as external_backend, x.backend_job_id as external_id, x.status as external_status,
      x.reason as external_reason, x.submitted_at as external_since,
      array(select e.from_id from edge e where e.to_id = p.id and e.kind = 'grounds' order by e.from_id) as context_ids,
      (select jsonb_agg(jsonb_build_object('job_id', o.id, 'outcome', o.outcome,
                'at', (extract(epoch from o.finished_at) * 1000)::bigint) order by o.created_at, o.id)
       from job o where o.prompt_id = p.id and o.state = 'superseded') as earlier_jobs
    from entity p
    join job j on j.prompt_id = p.id and j.state <> 'superseded'
    left join lateral (
      select k.id, k.response_id from job k where k.prompt_id = p.id and k.run > 0
      order by k.created_at desc, k.id desc limit 1) c on true
    left join entity r on r.id = c.response_id
    left join thread t on t.id = p.correlation_id
    left join seen s on s.person_id = p.created_by and s.prompt_id = p.id
    left join external_job x on x.job_id = j.id
    where p.kind = 'prompt' and ${hidden} ${where}
    order by ${order}`)
  return rows.map((row) => ({ orgId: row.org_id, owner: row.created_by, view: viewOfRow(row) }))
}

/** Views by id, whoever owns them; in the order of creation. */
export async function readViewsById(queryable: Queryable, ids: readonly string[]): Promise<OwnedView[]> {
  return selectViews(queryable, sql`p.id = any(${sqlArray(ids, 'uuid')})`, sql`p.created_at, p.id`)
}

/**
 * The same for who follows changes, deleted prompts among them: their views say so and hold no texts. A deletion has to
 * travel like any other change.
 */
export async function readChangedViews(queryable: Queryable, ids: readonly string[]): Promise<OwnedView[]> {
  return selectViews(queryable, sql`p.id = any(${sqlArray(ids, 'uuid')})`, sql`p.created_at, p.id`, sql``)
}

/** One's own views among `ids`; unknown, foreign and deleted ones are left out. */
export async function readOwnViews(
  queryable: Queryable,
  owner: Owner,
  ids: readonly string[],
): Promise<PromptView[]> {
  const found = await selectViews(
    queryable,
    sql`${ownedBy(owner)} and p.id = any(${sqlArray(ids, 'uuid')})`,
    sql`p.created_at, p.id`,
  )
  return found.map(({ view }) => view)
}

/** One's newest prompts, newest first; `before` goes on behind the last of an earlier page. */
export async function readNewestViews(
  queryable: Queryable,
  owner: Owner,
  page: { before: { createdAt: Date; id: string } | null; limit: number },
): Promise<PromptView[]> {
  const older = page.before
    ? sql`and (p.created_at, p.id) < (${moment(page.before.createdAt)}, ${page.before.id}::uuid)`
    : sql``
  const order = sql`p.created_at desc, p.id desc limit ${page.limit}::int`
  const found = await selectViews(queryable, sql`${ownedBy(owner)} ${older}`, order)
  return found.map(({ view }) => view)
}

/** A thread's prompts, oldest first; `after` goes on behind the last of an earlier page. */
export async function readThreadViews(
  queryable: Queryable,
  owner: Owner,
  threadId: string,
  page: { after: { createdAt: Date; id: string } | null; limit: number },
): Promise<PromptView[]> {
  const later = page.after
    ? sql`and (p.created_at, p.id) > (${moment(page.after.createdAt)}, ${page.after.id}::uuid)`
    : sql``
  const order = sql`p.created_at, p.id limit ${page.limit}::int`
  const where = sql`${ownedBy(owner)} and p.correlation_id = ${threadId}::uuid ${later}`
  const found = await selectViews(queryable, where, order)
  return found.map(({ view }) => view)
}

interface Owner {
  orgId: string
  personId: string
}

function ownedBy(owner: Owner): SQL {
  return sql`p.org_id = ${owner.orgId}::uuid and p.created_by = ${owner.personId}::uuid`
}
