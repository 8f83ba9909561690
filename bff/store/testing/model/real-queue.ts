import { sql } from 'drizzle-orm'
import type { JobFacts } from '../../../domain/job-state.ts'
import type { Database } from '../../database/database.ts'
import type { ClaimedJob } from '../../jobs/claim-jobs.ts'
import { type FactsRow, factsOfRow, type JobFactory, jobFactory } from '../job-factory.ts'

/** The real queue beside the model: two orgs on one database, and every claim that was ever made. */
export interface RealQueue {
  readonly database: Database
  /** How many permits each org has. */
  readonly orgConcurrency: number
  readonly orgs: readonly [JobFactory, JobFactory]
  /** Oldest first; claims that were lost stay, so that writes in an old name can be tried. */
  readonly claims: ClaimedJob[]
  /** The events up to here were compared. */
  eventsSeen: number
  /** Ids in an order that is not the order of submits: only then is it seen that ids break ties. */
  nextId(): string
}

export function realQueue(database: Database, orgConcurrency: number): RealQueue {
  let made = 0
  return {
    database,
    orgConcurrency,
    orgs: [jobFactory(database, orgConcurrency), jobFactory(database, orgConcurrency)],
    claims: [],
    eventsSeen: 0,
    nextId() {
      made += 1
      const mixed = (Math.imul(made, 0x9e3779b1) >>> 0).toString(16).padStart(12, '0')
      return `0195a000-0000-7000-8000-${mixed}`
    },
  }
}

/** A job row as the model has it. */
export interface RealJob {
  id: string
  promptId: string
  orgId: string
  provider: string | null
  priority: number
  claimRank: number
  createdAt: number
  supersedes: string | null
  facts: JobFacts
  scheduledFor: number | null
  availableAt: number
  blockedBy: string | null
  holdReason: string | null
  crashes: number
  permit: number | null
  permitAt: number | null
}

type JobRow = FactsRow & {
  id: string
  prompt_id: string
  org_id: string
  provider: string | null
  priority: number
  claim_rank: number
  created_at: Date
  supersedes: string | null
  scheduled_for: Date | null
  available_at: Date
  blocked_by: string | null
  hold_reason: string | null
  crashes: number
  permit: number | null
  permit_at: Date | null
}

/** Every job row there is, by id. */
export async function readRealJobs(database: Database): Promise<RealJob[]> {
  const rows = await database.rows<JobRow>(sql`select * from job order by id`)
  return rows.map((row) => ({
    id: row.id,
    promptId: row.prompt_id,
    orgId: row.org_id,
    provider: row.provider,
    priority: row.priority,
    claimRank: row.claim_rank,
    createdAt: row.created_at.getTime(),
    supersedes: row.supersedes,
    facts: factsOfRow(row),
    scheduledFor: row.scheduled_for?.getTime() ?? null,
    availableAt: row.available_at.getTime(),
    blockedBy: row.blocked_by,
    holdReason: row.hold_reason,
    crashes: row.crashes,
    permit: row.permit,
    permitAt: row.permit_at?.getTime() ?? null,
  }))
}

export interface RealRun {
  jobId: string
  run: number
  attempt: number
  counted: boolean
  errorKind: string | null
}

export async function readRealRuns(database: Database): Promise<RealRun[]> {
  return database.rows<RealRun>(sql`
    select job_id as "jobId", run, attempt, counted, error_kind as "errorKind" from ledger order by job_id, run`)
}

export interface RealGate {
  provider: string
  closedUntil: number
  probeJobId: string | null
}

/** The gates that are closed, by provider. */
export async function readRealGates(database: Database): Promise<RealGate[]> {
  const rows = await database.rows<{ provider: string; until: Date; probe: string | null }>(sql`
    select provider, closed_until as until, probe_job_id as probe from provider_gate order by provider`)
  return rows.map(({ provider, until, probe }) => ({
    provider,
    closedUntil: until.getTime(),
    probeJobId: probe,
  }))
}

export interface RealEvent {
  seq: number
  jobId: string
  promptId: string
  run: number
  kind: string
  data: Record<string, unknown>
}

/** The events of jobs after `seq`, in the order in which they were numbered. */
export async function readRealEvents(database: Database, seq: number): Promise<RealEvent[]> {
  return database.rows<RealEvent>(sql`
    select seq, job_id as "jobId", prompt_id as "promptId", run, kind, data from event
    where seq > ${seq}::bigint and job_id is not null order by seq`)
}
