import { sql } from 'drizzle-orm'
import type { Tx } from '../database/database.ts'
import { readEpoch } from '../database/meta.ts'
import { type BackupHeader, type BackupTable, type ControlLine, currentMigration } from './backup-format.ts'

/**
 * All rows of `tables` in the format of a backup, a few hundred lines at a time, each ended by a newline. Of one moment,
 * if the transaction is one of `repeatable read`. `onRows` hears how many were read.
 */
export async function* dumpLines(
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
