import { sql } from 'drizzle-orm'
import { DomainError } from '../../domain/errors.ts'
import type { Tx } from '../database/database.ts'
import { settledTx } from '../database/meta.ts'
import { StatementError } from '../database/statement-error.ts'
import {
  type BackupHeader,
  type BackupTable,
  backupHeader,
  controlLine,
  currentMigration,
  invalidBackup,
} from './backup-format.ts'

/**
 * Takes a backup's lines in order. Before the header nothing is accepted but it; before a table's line no rows; after
 * the end nothing. Rows go to the database as they stand, many at once.
 */
export class Intake {
  readonly #tx: Tx
  readonly #tables: Map<string, BackupTable>
  #header: BackupHeader | undefined
  #table: BackupTable | undefined
  #batch: string[] = []
  #batchLength = 0
  #rows = 0
  #ended = false

  constructor(tx: Tx, tables: BackupTable[]) {
    this.#tx = tx
    this.#tables = new Map(tables.map((table) => [table.name, table]))
  }

  async take(line: string): Promise<void> {
    if (this.#ended) throw invalidBackup('it goes on after its end')
    if (!this.#header) this.#header = await this.#readHeader(line)
    else if (line.startsWith('[')) await this.#obey(line)
    else await this.#addRow(line)
  }

  async end(): Promise<{ header: BackupHeader; rows: number }> {
    if (!this.#header || !this.#ended) throw invalidBackup('it is cut off')
    return { header: this.#header, rows: this.#rows }
  }

  async #readHeader(line: string): Promise<BackupHeader> {
    const header = backupHeader.safeParse(parseJson(line))
    if (!header.success) throw invalidBackup('its first line is not a header')
    if (header.data.migration !== (await currentMigration(this.#tx))) {
      throw new DomainError(
        'invalid_backup',
        'The backup is of another version of Mission Field; restore it with that version, then start this one.',
      )
    }
    return header.data
  }

  async #obey(line: string): Promise<void> {
    await this.#flush()
    const control = controlLine.safeParse(parseJson(line))
    if (!control.success) throw invalidBackup('a line in it is not understood')
    if (control.data[0] === 'end') {
      if (control.data[1] !== this.#rows) throw invalidBackup('rows are missing')
      this.#ended = true
      return
    }
    const [, name, columns] = control.data
    const table = this.#tables.get(name)
    if (!table || columns.some((column) => !table.columns.includes(column))) {
      throw invalidBackup(`this version has no such table or columns as its ${JSON.stringify(name)}`)
    }
    this.#table = { name, columns }
  }

  async #addRow(line: string): Promise<void> {
    if (!this.#table) throw invalidBackup('rows come before their table')
    this.#batch.push(line)
    this.#batchLength += line.length
    this.#rows += 1
    if (this.#batch.length >= batchRowsMax || this.#batchLength >= batchLengthMax) await this.#flush()
  }

  async #flush(): Promise<void> {
    if (this.#table && this.#batch.length > 0) {
      await insertRows(this.#tx, this.#table, `[${this.#batch.join(',')}]`)
    }
    this.#batch = []
    this.#batchLength = 0
  }
}

const batchRowsMax = 500
const batchLengthMax = 1_000_000

async function insertRows(tx: Tx, table: BackupTable, json: string): Promise<void> {
  const columns = table.columns.map((column) => sql.identifier(column))
  const values: ((typeof columns)[number] | ReturnType<typeof sql>)[] = [...columns]
  if (table.name === 'event') {
    columns.push(sql.identifier('tx'))
    values.push(sql`${settledTx}::xid8`)
  }
  const name = sql.identifier(table.name)
  try {
    await tx.rows(sql`
      insert into ${name} (${sql.join(columns, sql`, `)})
      select ${sql.join(values, sql`, `)} from json_populate_recordset(null::${name}, ${json}::text::json)`)
  } catch (error) {
    if (!(error instanceof StatementError)) throw error
    throw invalidBackup(`the database refuses rows of ${table.name}`, { cause: error })
  }
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
