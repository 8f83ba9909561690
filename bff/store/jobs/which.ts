import { type SQL, sql } from 'drizzle-orm'

/** Which jobs a command is about; `currentJobWhere` turns it into a condition that only the store knows. */
export type WhichJob =
  | { promptId: string; orgId: string; personId: string }
  /** An operator's: by the job itself, whoever owns it. */
  | { jobId: string }

/** The condition on `job` for the current job of one's own prompt, or for one job. */
export function currentJobWhere(which: WhichJob): SQL {
  return 'jobId' in which
    ? sql`id = ${which.jobId}::uuid and state <> 'superseded'`
    : sql`prompt_id = ${which.promptId}::uuid and org_id = ${which.orgId}::uuid
        and created_by = ${which.personId}::uuid and state <> 'superseded'`
}
