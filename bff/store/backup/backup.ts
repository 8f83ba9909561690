import { randomUUID } from 'node:crypto'
import { createWriteStream, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { sql } from 'drizzle-orm'
import type { Database, Tx } from '../database/database.ts'
import { readEpoch } from '../database/meta.ts'
import { syncPath } from '../database/pglite/sync-tree.ts'
import {
  type BackupHeader,
  type BackupTable,
  backupTables,
  type ControlLine,
  currentMigration,
} from './backup-format.ts'

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
        const lines = backupLines(tx, tables, now, (count) => {
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

async function* backupLines(
  tx: Tx,
  tables: BackupTable[],
  now: Date,
  onRows: (count: number) => void,
): AsyncGenerator<string> {
  const header: BackupHeader = {
    format: 'mission-field-backup',
    version: 1,
    migration: await currentMigration(tx),
    epoch: await readEpoch(tx),
    created_at: now.toISOString(),
  }
  yield `${JSON.stringify(header)}\n`
  let total = 0
  for (const { name, columns } of tables) {
    yield controlText(['table', name, columns])
    const list = sql.join(
      columns.map((column) => sql.identifier(column)),
      sql`, `,
    )
    await tx.rows(sql`
      declare backup_rows no scroll cursor for
      select row_to_json(t)::text as line from (select ${list} from ${sql.identifier(name)}) t`)
    for (;;) {
      const rows = await tx.rows<{ line: string }>(sql.raw(`fetch ${rowsAtOnce} from backup_rows`))
      if (rows.length === 0) break
      total += rows.length
      onRows(rows.length)
      yield rows.map(({ line }) => `${line}\n`).join('')
    }
    await tx.rows(sql`close backup_rows`)
  }
  yield controlText(['end', total])
}

const rowsAtOnce = 500

function controlText(line: ControlLine): string {
  return `${JSON.stringify(line)}\n`
}
