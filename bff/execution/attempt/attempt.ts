import type { Failure } from '../../domain/failure.ts'
import type { AttemptResult } from '../../domain/ports.ts'
import type { ClaimedJob } from '../../store/jobs/claim-jobs.ts'
import type { Choice } from '../choose-model.ts'

/** Why the holder's own signal ended an attempt. Only `ceiling` is a failure of it. */
export type StopReason = 'cancelled' | 'lost' | 'drain' | 'ceiling'

/** How an attempt came out, before it is settled. */
export type Outcome =
  | { kind: 'answered'; result: AttemptResult }
  | { kind: 'failed'; failure: Failure; requestId: string | null }
  | { kind: 'stopped'; reason: Exclude<StopReason, 'ceiling'> }

/** A finished attempt with what the ledger wants to know of it. */
export interface FinishedAttempt {
  claim: ClaimedJob
  choice: Choice
  outcome: Outcome
  firstTokenMs: number | null
}
