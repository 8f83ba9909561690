import { countOpenJobs, type OpenJobs } from '../../store/jobs/count-open-jobs.ts'
import type { Execution } from '../context.ts'

/** What waits and runs now, for the gauges of a scrape: one statement. @throws DomainError `database_unavailable`. */
export function readQueueGauges(execution: Execution): Promise<OpenJobs> {
  return countOpenJobs(execution.database)
}
