import { randomUUID } from 'node:crypto'
import { createWriteStream, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Database } from '../database/database.ts'
import { syncPath } from '../database/pglite/sync-tree.ts'
import { backupTables } from './backup-format.ts'
import { dumpLines } from './dump-lines.ts'

export interface BackupReport {
  rows: number
  tables: number
}

/**
 * Writes all data to one file, as of one moment, readable by its owner only; `restore` takes it on PGlite and
 * PostgreSQL alike. The file appears whole, under its name, or not at all, and replaces an older one of that name.
 *
 * One transaction lasts throughout: on PGlite nothing else runs meanwhile.
 */
export async function backup(database: Database, file: string, now: Date): Promise<BackupReport> {
  const draft = `${file}.${randomUUID()}.partial`
  try {
    const report = await database.transaction(
      async (tx) => {
        const tables = await backupTables(tx)
        let rows = 0
        const lines = dumpLines(tx, tables, now, (count) => {
          rows += count
        })
        await pipeline(
          Readable.from(lines),
          createGzip(),
          createWriteStream(draft, { mode: 0o600, flags: 'wx' }),
        )
        return { rows, tables: tables.length }
      },
      { isolation: 'repeatable read' },
    )
    syncPath(draft)
    renameSync(draft, file)
    syncPath(dirname(file))
    return report
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}
