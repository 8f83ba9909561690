import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import type { Database, Tx } from './database.ts'
import { sqlJson } from './sql-values.ts'

export interface MetaReport {
  /** Names this copy of the data: cursors of another epoch are answered with a resync. */
  epoch: string
  /** Events whose transaction id lay above the database's current one, as after a move by copying files or rows. */
  mendedEvents: number
}

/**
 * Makes sure that `meta` has its `epoch` and `event_floor`, and mends events from a database with more transactions
 * behind it: every poll would return them for ever. They become visible to all (`tx = 3`), under a new epoch.
 */
export async function prepareMeta(database: Database): Promise<MetaReport> {
  return database.transaction(async (tx) => {
    await tx.rows(sql`
      insert into meta (key, value)
      values ('epoch', ${sqlJson(randomUUID())}), ('event_floor', ${sqlJson('0')})
      on conflict (key) do nothing`)
    // Rows seen by a snapshot were written below its xmax; anything at or above it is not of this database.
    const mended = await tx.rows(sql`
      update event set tx = ${settledTx}::xid8 where tx >= pg_snapshot_xmax(pg_current_snapshot()) returning seq`)
    const epoch = mended.length > 0 ? await renewEpoch(tx) : await readEpoch(tx)
    return { epoch, mendedEvents: mended.length }
  })
}

/** The first transaction id that PostgreSQL gives out: older than every snapshot, hence visible in all of them. */
export const settledTx = '3'

/** Gives the data a new name, after which every cursor handed out before is answered with a resync. */
export async function renewEpoch(tx: Tx): Promise<string> {
  const epoch = randomUUID()
  await tx.rows(sql`update meta set value = ${sqlJson(epoch)} where key = 'epoch'`)
  return epoch
}

export async function readEpoch(tx: Tx): Promise<string> {
  const [row] = await tx.rows<{ value: unknown }>(sql`select value from meta where key = 'epoch'`)
  if (typeof row?.value !== 'string') throw new Error('meta.epoch is not a text')
  return row.value
}
