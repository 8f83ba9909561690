import { type SQL, sql } from 'drizzle-orm'
import type { JobState } from '../../../shared/job.ts'
import type { Queryable, Tx } from '../database/database.ts'
import { sqlArray } from '../database/sql-values.ts'

/** The current job of one prompt. */
export interface CurrentJob {
  promptId: string
  jobId: string
  state: JobState
  deleted: boolean
}

/** The current jobs of one's own prompts among `promptIds`, deleted ones among them; unknown and foreign ones are left out. */
export async function readCurrentJobs(
  queryable: Queryable,
  owner: { orgId: string; personId: string },
  promptIds: readonly string[],
): Promise<CurrentJob[]> {
  return queryable.rows<CurrentJob>(sql`${currentJobs(promptIds)}
    and p.org_id = ${owner.orgId}::uuid and p.created_by = ${owner.personId}::uuid order by j.id`)
}

/** The current jobs of prompts, locked, in the order of locks. */
export async function lockCurrentJobs(tx: Tx, promptIds: readonly string[]): Promise<CurrentJob[]> {
  return tx.rows<CurrentJob>(sql`${currentJobs(promptIds)} order by j.id for update of j`)
}

function currentJobs(promptIds: readonly string[]): SQL {
  return sql`
    select p.id as "promptId", j.id as "jobId", j.state, p.state_class = 'retracted' as deleted
    from entity p join job j on j.prompt_id = p.id and j.state <> 'superseded'
    where p.kind = 'prompt' and p.id = any(${sqlArray(promptIds, 'uuid')})`
}
