import type { ErrorKind, JobState } from '../../shared/job.ts'

/**
 * One committed change of a job, for the log and the metrics of the process that made it. Ids, words of ours and
 * numbers: never a text of a prompt or an answer. Times in ms, null where they are not known.
 */
export interface JobMove {
  jobId: string
  promptId: string
  orgId: string
  /** The run it is about; 0 before the first claim. */
  run: number
  /** The kind of its event: `job-queued`, `job-claimed`, `attempt-failed`, `job-held`… */
  kind: string
  /** Null for a job that is new. A follower that is held or released goes from `queued` to `queued`. */
  from: JobState | null
  to: JobState
  /** A worker's id, a person's id, an operator's name, or the part of the product that did it. */
  by: string
  attempt: number | null
  errorKind: ErrorKind | null
  /** When it may be claimed again after a failed attempt, ISO 8601. */
  retryAt: string | null
  provider: string | null
  /** How long it had been ready and waiting when it was claimed. */
  queuedMs: number | null
  /** How long the run took that ended, and until its first token. */
  runMs: number | null
  firstTokenMs: number | null
}

/** What the measured steps of a run are called. */
export type RunStep = 'context' | 'call' | 'settle'

/** How a call to a provider ended: an answer, a failure of a kind, or our own word that ended it. */
export type CallOutcome = 'answered' | ErrorKind | 'cancelled' | 'lost' | 'drain'

/** One call to a provider; numbers as the provider told them, null where it did not. */
export interface CallReport {
  provider: string
  /** The model that was asked for, and the one that served. */
  model: string
  servedModel: string | null
  requestId: string | null
  finishReason: string | null
  inputTokens: number | null
  outputTokens: number | null
  firstTokenMs: number | null
  outcome: CallOutcome
}

/** One run of a job in this process, told once it is over: what a trace is made of. */
export interface RunReport {
  jobId: string
  promptId: string
  run: number
  attempt: number
  queuedMs: number
  startedAt: Date
  endedAt: Date
  /** In the order in which they ended; a step that threw is `broken`. */
  steps: readonly { step: RunStep; startedAt: Date; endedAt: Date; broken: boolean }[]
  /** Null when the run did not get as far as its provider. */
  call: CallReport | null
}
