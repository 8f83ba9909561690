import type { ErrorKind } from '../../../../shared/job.ts'
import type { JobFacts } from '../../../domain/job-state.ts'

/** A finished run as the ledger must have it. */
export interface ModelRun {
  run: number
  attempt: number
  counted: boolean
  errorKind: ErrorKind | null
}

/** A job as the model has it: what the transition table governs (`facts`), and what it does not say. Times in ms. */
export interface ModelJob {
  readonly id: string
  readonly promptId: string
  readonly orgId: string
  readonly provider: string
  priority: number
  claimRank: number
  readonly createdAt: number
  readonly supersedes: string | null
  facts: JobFacts
  scheduledFor: number | null
  availableAt: number
  /** Until when its last failed attempt made it wait. */
  retryAt: number
  blockedBy: string | null
  holdReason: 'failed' | 'cancelled' | null
  /** Times a worker was lost while it ran this job. */
  crashes: number
  permit: number | null
  /** Since when it stands in line with its permit. */
  permitAt: number | null
  ledger: ModelRun[]
}

export interface ModelPrompt {
  readonly id: string
  readonly orgId: string
  /** The prompt that it runs after: the one that it continues, unless it named another. */
  readonly firstId: string | null
  revision: number
  currentJobId: string
}

/** What a submit stores, as far as the queue is concerned. */
export interface ModelSubmit {
  promptId: string
  jobId: string
  orgId: string
  provider: string
  parentId: string | null
  /** The prompt it runs after without continuing it. */
  afterId: string | null
  priority: number
  maxAttempts: number
  scheduledFor: number | null
}

export function newFacts(maxAttempts: number): JobFacts {
  return {
    state: 'queued',
    outcome: null,
    attempt: 1,
    maxAttempts,
    run: 0,
    workerClaim: null,
    startedAt: null,
    heartbeatAt: null,
    finishedAt: null,
    errorKind: null,
    responseId: null,
  }
}

/** The order of claims: rank, then id, as PostgreSQL compares UUIDs. */
export function byRank(a: ModelJob, b: ModelJob): number {
  if (a.claimRank !== b.claimRank) return a.claimRank - b.claimRank
  return a.id < b.id ? -1 : 1
}
