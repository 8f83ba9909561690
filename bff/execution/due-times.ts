import { nextLeaseEnd } from '../store/jobs/reclaim.ts'
import { grantReady, type Rest } from '../store/permits/grant-ready.ts'
import type { Execution } from './context.ts'

/** When the earliest lease ends; null when nothing runs. */
export function nextLeaseEndAt(execution: Execution): Promise<Date | null> {
  return nextLeaseEnd(execution.database, execution.settings.deadlines.leaseMs)
}

/** Gives permits to what became ready by the clock; says when to look again. */
export function grantReadyJobs({ database, settings, clock }: Execution): Promise<Rest> {
  return grantReady(database, { orgConcurrency: settings.orgConcurrency, now: clock.now() })
}
