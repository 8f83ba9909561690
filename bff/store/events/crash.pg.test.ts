import { sql } from 'drizzle-orm'
import { v7 as uuidV7 } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'
import { openPostgres } from '../database/postgres/open-postgres.ts'
import { type RunningPostgres, startPostgres } from '../testing/start-postgres.ts'
import { readChanges } from './read-changes.ts'
import { currentSnapshot } from './snapshot.ts'

const owner = { orgId: uuidV7(), personId: uuidV7() }
const epoch = 'epoch'

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

function writeEvent(): Promise<{ seq: number; tx: bigint }> {
  return database.transaction(async (tx) => {
    const [row] = await tx.rows<{ seq: number; tx: string }>(sql`
      insert into event (org_id, owner, kind, at)
      values (${owner.orgId}::uuid, ${owner.personId}::uuid, 'job-queued', now()) returning seq, tx::text as tx`)
    if (!row) throw new Error('an insert returns its row')
    return { seq: row.seq, tx: BigInt(row.tx) }
  })
}

test.each([
  [
    'rolled back',
    () => database.transaction((tx) => tx.rows(sql`select pg_current_xact_id()`).then(undo)).catch(() => {}),
  ],
  ['only notified', () => database.rows(sql`select pg_notify('nobody', 'hears')`)],
])('an event is told though its transaction has the id of one that %s before a crash', async (_, takeId) => {
  const before = await writeEvent()
  await takeId()
  const cursor = { epoch, from: await currentSnapshot(database) }
  await server.restart('immediate')
  const after = await writeEvent()
  expect(after.tx, 'the id is given out again').toBe(before.tx + 1n)
  const page = await readChanges(database, owner, cursor, 10)
  expect(page.rows.map(({ seq }) => seq)).toEqual([after.seq])
  expect((await readChanges(database, owner, page.cursor, 10)).rows).toEqual([])
})

function undo(): never {
  throw new Error('undone')
}
