import { DomainError } from '../../domain/errors.ts'
import type { Database } from '../database/database.ts'
import { backupTables, currentMigration } from './backup-format.ts'
import { dumpLines } from './dump-lines.ts'
import { type Filled, fillEmpty } from './fill-empty.ts'

/**
 * Copies all rows of `source`, as of one moment, into the empty `target`, all or nothing, without a file in between.
 * `fillEmpty` says what changes thereby; sessions are rows like others, so whoever is signed in stays so. `source` is
 * only read.
 *
 * @throws DomainError `state_conflict` when `target` has rows already or `source` is of another version's schema;
 * `invalid_backup` when `target` refuses a row.
 */
export async function importData(source: Database, target: Database, now: Date): Promise<Filled> {
  return source.transaction(
    async (tx) => {
      const migration = await currentMigration(tx)
      if (migration !== (await currentMigration(target))) {
        throw new DomainError(
          'state_conflict',
          'The data is of another version of Mission Field; serve it once with this version, end that server, and import again.',
        )
      }
      const tables = await backupTables(tx)
      const feed = async (take: (line: string) => Promise<void>): Promise<void> => {
        for await (const lines of dumpLines(tx, tables, now, () => {})) {
          for (const line of lines.trimEnd().split('\n')) await take(line)
        }
      }
      return fillEmpty(target, feed, now).catch(inWords)
    },
    { isolation: 'repeatable read' },
  )
}

/** There is no file that could be at fault. */
function inWords(error: unknown): never {
  if (!(error instanceof DomainError) || error.code !== 'invalid_backup') throw error
  throw new DomainError(
    'invalid_backup',
    'The target refuses a row of the data; nothing was imported.',
    {},
    { cause: error },
  )
}
