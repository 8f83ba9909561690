import { nextDue, nextLeaseEnd } from '../store/jobs/reclaim.ts'
import type { Execution } from './context.ts'

/** The earliest time after `since` at which a job becomes claimable; null when none waits for a time. */
export function nextDueAt(execution: Execution, since: Date): Promise<Date | null> {
  return nextDue(execution.database, since)
}

/** When the earliest lease ends; null when nothing runs. */
export function nextLeaseEndAt(execution: Execution): Promise<Date | null> {
  return nextLeaseEnd(execution.database, execution.settings.deadlines.leaseMs)
}
