import { stat } from 'node:fs/promises'
import { DomainError } from '../domain/errors.ts'
import type { BackupAnswer } from '../http/admin-contract.ts'
import { backup } from '../store/backup/backup.ts'
import type { Product } from './wire.ts'

/**
 * Writes all data to `path`, an absolute one.
 * @throws DomainError `invalid_backup` when the file cannot be written.
 */
export async function writeBackup({ database, execution }: Product, path: string): Promise<BackupAnswer> {
  try {
    await backup(database, path, execution.clock.now())
    return { path, bytes: (await stat(path)).size }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    // Only the file system's own codes; the database's are five digits or letters.
    if (!/^E[A-Z]{3,}$/.test(code) || error instanceof DomainError) throw error
    throw new DomainError('invalid_backup', `${path} cannot be written (${code}).`, {}, { cause: error })
  }
}
