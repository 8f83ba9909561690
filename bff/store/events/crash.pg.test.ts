import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'
import { openPostgres } from '../database/postgres/open-postgres.ts'
import { follow, here, writeEvents } from '../testing/conformance/cursor.ts'
import { type RunningPostgres, startPostgres } from '../testing/start-postgres.ts'

let server: RunningPostgres
let database: Database
beforeAll(async () => {
  // So that nothing reaches the disk but what a commit waits for.
  server = await startPostgres({ settings: { wal_writer_delay: '10s', autovacuum: 'off' } })
  database = await openPostgres({ url: server.url, connectionsMax: 2 })
  await migrate(database)
})
afterAll(async () => {
  await database.close()
  await server.stop()
})

async function newestTx(): Promise<bigint> {
  const [row] = await database.rows<{ tx: string }>(sql`select max(tx)::text as tx from event`)
  return BigInt(row?.tx ?? 0)
}

test.each([
  [
    'rolled back',
    () => database.transaction((tx) => tx.rows(sql`select pg_current_xact_id()`).then(undo)).catch(() => {}),
  ],
  ['only notified', () => database.rows(sql`select pg_notify('nobody', 'hears')`)],
])('an event is told though its transaction has the id of one that %s before a crash', async (_, takeId) => {
  await writeEvents(database, 1)
  const before = await newestTx()
  await takeId()
  const cursor = await here(database)
  await server.restart('immediate')
  const after = await writeEvents(database, 1)
  expect(await newestTx(), 'the id is given out again').toBe(before + 1n)
  expect((await follow(database, cursor, 10)).seqs).toEqual(after)
})

function undo(): never {
  throw new Error('undone')
}
