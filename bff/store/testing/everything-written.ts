import { sql } from 'drizzle-orm'
import type { Database } from '../database/database.ts'

const tables = ['job', 'entity', 'edge', 'ledger', 'event', 'draft']

/** Every row that a run of a job may write, as text by its table: equal to an earlier one only if nothing was written. */
export async function everythingWritten(database: Database): Promise<Record<string, unknown>> {
  const rows = await Promise.all(
    tables.map((name) => database.rows(sql.raw(`select t::text as row from ${name} t order by t::text`))),
  )
  return Object.fromEntries(tables.map((name, index) => [name, rows[index]]))
}
