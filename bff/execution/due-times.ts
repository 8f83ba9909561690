import { nextDue, nextLeaseEnd } from '../store/jobs/reclaim.ts'
import type { Execution } from './context.ts'

/** When the earliest job that is not due yet becomes claimable; null when none waits for a time. */
export function nextDueAt(execution: Execution): Promise<Date | null> {
  return nextDue(execution.database, execution.clock.now())
}

/** When the earliest lease ends; null when nothing runs. */
export function nextLeaseEndAt(execution: Execution): Promise<Date | null> {
  return nextLeaseEnd(execution.database, execution.settings.deadlines.leaseMs)
}
