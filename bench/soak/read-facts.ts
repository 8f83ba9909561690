import { sql } from 'drizzle-orm'
import type { JobFacts } from '../../bff/domain/job-state.ts'
import type { Database } from '../../bff/store/database/database.ts'
import { type AuditedMove, readAudit } from './run-audit.ts'

export interface JobRow extends JobFacts {
  id: string
  promptId: string
  crashes: number
  held: string | null
}

export interface EventRow {
  seq: number
  job_id: string | null
  run: number | null
  kind: string
  was: string | null
  state: string | null
}

/** All that a soak left behind, read once nothing moves any more. */
export interface SoakFacts {
  prompts: { id: string; revision: number }[]
  /** Oldest first within a prompt. */
  jobs: JobRow[]
  ledger: { job_id: string; run: number }[]
  responses: { id: string; prompt_id: string; body: string }[]
  /** `flows-to` edges. */
  flows: { from_id: string; to_id: string }[]
  events: EventRow[]
  audit: AuditedMove[]
  drafts: number
}

export async function readFacts(database: Database): Promise<SoakFacts> {
  const ms = (column: string) => sql.raw(`(extract(epoch from ${column}) * 1000)::float8`)
  return {
    prompts: await database.rows(sql`select id, revision from entity where kind = 'prompt'`),
    jobs: await database.rows<JobRow>(sql`
      select id, prompt_id as "promptId", state, outcome, attempt, max_attempts as "maxAttempts", run, crashes,
        worker_claim as "workerClaim", ${ms('started_at')} as "startedAt",
        ${ms('running_heartbeat_at')} as "heartbeatAt", ${ms('finished_at')} as "finishedAt",
        error_kind as "errorKind", response_id as "responseId", hold_reason as held
      from job order by created_at, id`),
    ledger: await database.rows(sql`select job_id, run from ledger order by job_id, run`),
    responses: await database.rows(
      sql`select id, parent_id as prompt_id, body from entity where kind = 'response'`,
    ),
    flows: await database.rows(sql`select from_id, to_id from edge where kind = 'flows-to'`),
    events: await database.rows(sql`
      select seq, job_id, run, kind, data ->> 'from' as was, data ->> 'to' as state from event order by seq`),
    audit: await readAudit(database),
    drafts: (await database.rows(sql`select from draft`)).length,
  }
}
