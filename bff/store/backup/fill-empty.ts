import { sql } from 'drizzle-orm'
import { DomainError } from '../../domain/errors.ts'
import type { Database, Tx } from '../database/database.ts'
import { renewEpoch } from '../database/meta.ts'
import { handBack } from '../jobs/hand-back.ts'
import { type BackupHeader, type BackupTable, backupTables } from './backup-format.ts'
import { Intake } from './intake.ts'

export interface Filled {
  header: BackupHeader
  rows: number
  /** The new name of this copy of the data. */
  epoch: string
  /** Jobs that ran when the data was taken. */
  handedBack: string[]
}

/**
 * Fills an empty, migrated database with the lines that `feed` gives, all or nothing. Events become visible to every
 * snapshot, the epoch is new and the floor is gone, so clients with a cursor of the old data are told to begin anew and
 * nothing is delivered for ever. Jobs that ran go back to the queue, the attempt uncounted: whoever held them works on
 * the other copy. Jobs of the cluster run on, for it knows nothing of databases.
 *
 * @throws DomainError `state_conflict` when the database has rows already, and what `feed` throws.
 */
export async function fillEmpty(
  database: Database,
  feed: (take: (line: string) => Promise<void>) => Promise<void>,
  now: Date,
): Promise<Filled> {
  const filled = await database.transaction(async (tx) => {
    // Nobody reads or writes in between; a second one that fills waits here, and then finds rows.
    await tx.rows(sql`lock table meta in access exclusive mode`)
    const tables = await backupTables(tx)
    await assertEmpty(tx, tables)
    const intake = new Intake(tx, tables)
    await feed((line) => intake.take(line))
    const { header, rows } = await intake.end()
    await restartSequences(tx)
    await tx.rows(sql`update meta set value = '"0"'::jsonb where key = 'event_floor'`)
    const handedBack = await handBack(tx, await runningClaims(tx), now)
    return { header, rows, handedBack, epoch: await renewEpoch(tx) }
  })
  await database.rows(sql`analyze`)
  return filled
}

async function runningClaims(tx: Tx): Promise<string[]> {
  const rows = await tx.rows<{ token: string }>(
    sql`select worker_claim as token from job where state = 'running' and not external`,
  )
  return rows.map(({ token }) => token)
}

async function assertEmpty(tx: Tx, tables: BackupTable[]): Promise<void> {
  for (const { name } of tables) {
    const [row] = await tx.rows(sql`select 1 as one from ${sql.identifier(name)} limit 1`)
    if (row) {
      throw new DomainError(
        'state_conflict',
        `Data goes into an empty database only; this one has rows in ${name}.`,
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
