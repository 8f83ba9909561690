import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { sql } from 'drizzle-orm'
import { DomainError } from '../../domain/errors.ts'
import type { Database, Tx } from '../database/database.ts'
import { renewEpoch, settledTx } from '../database/meta.ts'
import { StatementError } from '../database/statement-error.ts'
import {
  type BackupHeader,
  type BackupTable,
  backupHeader,
  backupTables,
  controlLine,
  currentMigration,
  invalidBackup,
} from './backup-format.ts'

export interface RestoreReport {
  rows: number
  /** The new name of this copy of the data. */
  epoch: string
  /** When the backup was taken. */
  createdAt: Date
}

/**
 * Fills an empty, migrated database from a file of `backup`, all or nothing. Events become visible to every snapshot
 * and the epoch is new, so clients with a cursor of the old data are told to begin anew.
 *
 * @throws DomainError `invalid_backup` for a file that is absent, foreign, cut, or of another version;
 * `state_conflict` when the database has rows already.
 */
export async function restore(database: Database, file: string): Promise<RestoreReport> {
  const report = await database.transaction(async (tx) => {
    // Nobody reads or writes in between; a second restore waits here, and then finds rows.
    await tx.rows(sql`lock table meta in access exclusive mode`)
    const tables = await backupTables(tx)
    await assertEmpty(tx, tables)
    const intake = new Intake(tx, tables)
    await readLines(file, (line) => intake.take(line))
    const { header, rows } = await intake.end()
    await restartSequences(tx)
    await tx.rows(sql`update meta set value = '"0"'::jsonb where key = 'event_floor'`)
    return { rows, epoch: await renewEpoch(tx), createdAt: new Date(header.created_at) }
  })
  await database.rows(sql`analyze`)
  return report
}

/**
 * Takes a backup's lines in order. Before the header nothing is accepted but it; before a table's line no rows; after
 * the end nothing. Rows go to the database as they stand, many at once.
 */
class Intake {
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

async function assertEmpty(tx: Tx, tables: BackupTable[]): Promise<void> {
  for (const { name } of tables) {
    const [row] = await tx.rows(sql`select 1 as one from ${sql.identifier(name)} limit 1`)
    if (row) {
      throw new DomainError(
        'state_conflict',
        `A backup goes into an empty database only; this one has rows in ${name}.`,
      )
    }
  }
}

async function restartSequences(tx: Tx): Promise<void> {
  const columns = await tx.rows<{ table: string; column: string }>(sql`
    select table_name as "table", column_name as "column" from information_schema.columns
    where table_schema = 'public' and (column_default like 'nextval(%' or is_identity = 'YES')`)
  for (const { table, column } of columns) {
    await tx.rows(sql`
      select setval(pg_get_serial_sequence(${table}, ${column}),
        greatest(max(${sql.identifier(column)}), 1), max(${sql.identifier(column)}) is not null)
      from ${sql.identifier(table)}`)
  }
}

async function readLines(file: string, onLine: (line: string) => Promise<void>): Promise<void> {
  const source = createReadStream(file)
  const plain = createGunzip()
  source.on('error', (error) => plain.destroy(error))
  source.pipe(plain)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  let headerSeen = false
  try {
    for await (const chunk of plain) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) await onLine(line)
      headerSeen ||= lines.length > 0
      if (!headerSeen && rest.length > headerLengthMax) throw invalidBackup('its first line is not a header')
    }
    if (rest + decoder.decode() !== '') throw invalidBackup('it is cut off')
  } catch (error) {
    throw fileProblem(error, file)
  } finally {
    source.destroy()
    plain.destroy()
  }
}

/** Bounds what a foreign file without lines can cost in memory; a real header has some two hundred characters. */
const headerLengthMax = 100_000

function fileProblem(error: unknown, file: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ENOENT') return new DomainError('invalid_backup', `There is no file ${file}.`)
  if (code === 'EISDIR') return new DomainError('invalid_backup', `${file} is a folder, not a backup.`)
  if (code === 'Z_BUF_ERROR') return invalidBackup('it is cut off', { cause: error })
  if (code.startsWith('Z_')) return invalidBackup('it is damaged or something else', { cause: error })
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return invalidBackup('it is not text', { cause: error })
  return error
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
