import { sql } from 'drizzle-orm'
import { fieldFlags } from '../../../shared/observe.ts'
import type { Queryable } from '../database/database.ts'

/** One prompt as the field's columns need it; no texts. */
export interface FieldRow {
  id: string
  correlation_id: string
  parent_id: string | null
  created_at: Date
  state: string
  flags: number
  revision: number
  batch_id: string | null
}

export interface ThreadRow {
  id: string
  title: string
  row_order: number
}

/**
 * All prompts of one person in an org, in the order of creation, with the bits of `fieldFlags`. `r` is the answer
 * shown: that of the newest job ever claimed, as in `read-views.ts`; a current job that has one is that job.
 */
export async function readFieldRows(
  queryable: Queryable,
  orgId: string,
  personId: string,
): Promise<FieldRow[]> {
  return queryable.rows<FieldRow>(sql`
    select p.id, p.correlation_id, p.parent_id, p.created_at, j.state, p.revision, j.batch_id,
      (case when j.state = 'succeeded' and s.job_id is distinct from j.id then ${fieldFlags.unseen}::int else 0 end)
      | (case when j.state = 'succeeded' and r.meta->>'finish_reason' = 'length' then ${fieldFlags.truncated}::int else 0 end)
      | (case when r.state_class = 'promoted' then ${fieldFlags.promoted}::int else 0 end)
      | (case when j.provider = 'practice' then ${fieldFlags.practice}::int else 0 end)
      | (case when j.external then ${fieldFlags.external}::int else 0 end)
      | (case when j.hold_reason is not null then ${fieldFlags.held}::int else 0 end) as flags
    from entity p
    join job j on j.prompt_id = p.id and j.state <> 'superseded'
    left join entity r on r.id = coalesce(j.response_id, (
      select k.response_id from job k where k.prompt_id = p.id and k.run > 0
      order by k.created_at desc, k.id desc limit 1))
    left join seen s on s.person_id = p.created_by and s.prompt_id = p.id
    where p.kind = 'prompt' and p.state_class <> 'retracted'
      and p.org_id = ${orgId}::uuid and p.created_by = ${personId}::uuid
    order by p.created_at, p.id`)
}

/** The threads of one person in an org, in lane order; prompts whose thread row is missing have a lane all the same. */
export async function readThreadRows(
  queryable: Queryable,
  orgId: string,
  personId: string,
): Promise<ThreadRow[]> {
  return queryable.rows<ThreadRow>(sql`
    select id, title, row_order from thread
    where org_id = ${orgId}::uuid and created_by = ${personId}::uuid and retracted_at is null
    union all
    select p.correlation_id, left((array_agg(p.body order by p.created_at, p.id))[1], 80),
      (extract(epoch from min(p.created_at)) * 1000)::bigint
    from entity p
    where p.kind = 'prompt' and p.state_class <> 'retracted'
      and p.org_id = ${orgId}::uuid and p.created_by = ${personId}::uuid
      and not exists (select from thread t where t.id = p.correlation_id)
    group by p.correlation_id
    order by row_order, id`)
}
