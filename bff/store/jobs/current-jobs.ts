import { sql } from 'drizzle-orm'
import type { JobState } from '../../../shared/job.ts'
import type { Queryable } from '../database/database.ts'
import { sqlArray } from '../database/sql-values.ts'

/** The current job of one prompt. */
export interface CurrentJob {
  promptId: string
  jobId: string
  state: JobState
  provider: string | null
  model: string | null
  deleted: boolean
  /** It was handed to a cluster, which asking again must not do a second time. */
  external: boolean
}

/** The current jobs of one's own prompts among `promptIds`, deleted ones among them; unknown and foreign ones are left out. */
export async function readCurrentJobs(
  queryable: Queryable,
  owner: { orgId: string; personId: string },
  promptIds: readonly string[],
): Promise<CurrentJob[]> {
  return queryable.rows<CurrentJob>(sql`
    select p.id as "promptId", j.id as "jobId", j.state, j.provider, j.model, p.state_class = 'retracted' as deleted,
      exists (select from external_job x where x.prompt_id = p.id) as external
    from entity p join job j on j.prompt_id = p.id and j.state <> 'superseded'
    where p.kind = 'prompt' and p.id = any(${sqlArray(promptIds, 'uuid')})
      and p.org_id = ${owner.orgId}::uuid and p.created_by = ${owner.personId}::uuid
    order by j.id`)
}
