import { sql } from 'drizzle-orm'
import type { JobState } from '../../../../shared/job.ts'
import type { Queryable } from '../../database/database.ts'

/** Which batch, and whose it has to be. */
export interface WhichBatch {
  batchId: string
  orgId: string
  personId: string
}

/** How the prompts of a bulk request stand, by the current job of each. */
export interface BatchProgress {
  total: number
  queued: number
  running: number
  succeeded: number
  failed: number
  cancelled: number
  created_at: Date
}

/** @returns null unless the batch is there and that person's own. */
export async function readBatchProgress(
  queryable: Queryable,
  which: WhichBatch,
): Promise<BatchProgress | null> {
  const [row] = await queryable.rows<BatchProgress>(sql`
    select b.created_at, count(j.id) as total,
      count(*) filter (where j.state = 'queued') as queued, count(*) filter (where j.state = 'running') as running,
      count(*) filter (where j.state = 'succeeded') as succeeded, count(*) filter (where j.state = 'failed') as failed,
      count(*) filter (where j.state = 'cancelled') as cancelled
    from batch b left join job j on j.batch_id = b.id and j.state <> 'superseded'
    where ${owned(which)} group by b.id`)
  return row ?? null
}

/** The prompts of a batch whose current job is in one of `states`, in the order of the request; deleted ones apart. */
export async function readBatchPrompts(
  queryable: Queryable,
  which: WhichBatch,
  states: readonly Exclude<JobState, 'superseded'>[],
): Promise<string[]> {
  const rows = await queryable.rows<{ id: string }>(sql`
    select p.id from batch b join job j on j.batch_id = b.id and j.state <> 'superseded'
    join entity p on p.id = j.prompt_id and p.state_class <> 'retracted'
    where ${owned(which)} and j.state in (${sql.join(
      states.map((state) => sql`${state}`),
      sql`, `,
    )})
    order by p.created_at, p.id`)
  return rows.map((row) => row.id)
}

function owned({ batchId, orgId, personId }: WhichBatch) {
  return sql`b.id = ${batchId}::uuid and b.org_id = ${orgId}::uuid and b.created_by = ${personId}::uuid`
}
