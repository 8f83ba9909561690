import { invalidField } from '../../domain/errors.ts'
import { archiveJobs, countArchivable } from '../../store/archive/archive-jobs.ts'
import type { Execution } from '../context.ts'

/** So many jobs a transaction: on the embedded database everybody else waits meanwhile. */
const batchJobs = 500

export interface ArchiveRequest {
  /** Jobs that had settled by then. */
  before: Date
  /** Where the exports go: absolute. */
  folder: string
  /** Only count. */
  dryRun?: boolean
}

export interface ArchiveReport {
  before: string
  dry_run: boolean
  /** How many jobs were archived, or would be. */
  jobs: number
  ledger_rows: number
  events: number
  /** The exports, one a batch. */
  files: string[]
}

/**
 * Retention: replaced jobs that settled before a time go to files, then from the database (DESIGN §4). A prompt's newest
 * job stays however old it is, and so does every answer. Safe to run at any time, and again after it was cut short.
 *
 * @throws DomainError `invalid_request` for a time that is still to come.
 */
export async function archiveOldJobs(
  { database, clock, log }: Pick<Execution, 'database' | 'clock' | 'log'>,
  { before, folder, dryRun = false }: ArchiveRequest,
): Promise<ArchiveReport> {
  if (before.getTime() > clock.now().getTime()) throw invalidField('before', 'must not lie in the future.')
  const report: ArchiveReport = {
    before: before.toISOString(),
    dry_run: dryRun,
    jobs: 0,
    ledger_rows: 0,
    events: 0,
    files: [],
  }
  if (dryRun) return { ...report, jobs: await countArchivable(database, before) }
  for (let from: Date | null = null; ; ) {
    const batch = await archiveJobs(database, { before, folder, from, limit: batchJobs })
    if (batch === null) return report
    from = batch.upTo
    log.info({ file: batch.file, jobs: batch.jobs }, 'jobs archived')
    report.jobs += batch.jobs
    report.ledger_rows += batch.ledgerRows
    report.events += batch.events
    report.files.push(batch.file)
  }
}
