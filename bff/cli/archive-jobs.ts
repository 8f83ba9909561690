import { join } from 'node:path'
import { archiveOldJobs } from '../execution/operate/archive-old-jobs.ts'
import type { ArchiveAnswer, ArchiveBody } from '../http/admin-contract.ts'
import type { Product } from './wire.ts'

const dayMs = 24 * 60 * 60_000

/** Archives into the data directory; without a time, what has been settled for longer than the retention. */
export function archiveJobs(
  { execution, config }: Product,
  { before, dry_run: dryRun = false }: ArchiveBody,
): Promise<ArchiveAnswer> {
  const kept = config.retentionDays * dayMs
  return archiveOldJobs(execution, {
    before: before === undefined ? new Date(execution.clock.now().getTime() - kept) : new Date(before),
    folder: join(config.dataDir, 'archive'),
    dryRun,
  })
}
