import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../database/database.ts'
import { openPostgres } from '../database/postgres/open-postgres.ts'
import { type TestPostgres, testPostgres } from '../testing/test-postgres.ts'
import { readChanges } from './read-changes.ts'
import { currentSnapshot, snapshotSince } from './snapshot.ts'

const owner = {
  orgId: '00000000-0000-7000-8000-000000000001',
  personId: '00000000-0000-7000-8000-000000000002',
}
const events = 20_000

let postgres: TestPostgres
/** One connection, so that it counts all that is read. */
let database: Database
beforeAll(async () => {
  postgres = await testPostgres()
  database = await openPostgres({ url: postgres.url, connectionsMax: 1 })
  await database.rows(sql`
    insert into event (org_id, owner, kind, at)
    select ${owner.orgId}::uuid, ${owner.personId}::uuid, 'job-queued', now() - n * interval '1 minute'
    from generate_series(1, ${events}::int) n`)
  await database.rows(sql`analyze event`)
})
afterAll(async () => {
  await database.close()
  await postgres.close()
})

/** Entries of the indexes of `event` that `work` had read. */
async function entriesRead(work: () => Promise<unknown>): Promise<number> {
  const total = async () => {
    await database.rows(sql`select pg_stat_force_next_flush()`)
    const [row] = await database.rows<{ read: number }>(
      sql`select sum(idx_tup_read)::float8 as read from pg_stat_user_indexes where relname = 'event'`,
    )
    return row?.read ?? Number.NaN
  }
  const before = await total()
  await work()
  return (await total()) - before
}

test('asking since when something is new reads what is new, not all that ever was', async () => {
  // The newest event alone, for the position itself.
  expect(await entriesRead(() => snapshotSince(database, owner, new Date(), 0))).toBe(1)
  const anHourAgo = new Date(Date.now() - 3_600_000)
  const read = await entriesRead(() => snapshotSince(database, owner, anHourAgo, 0))
  expect(read).toBeGreaterThan(50)
  expect(read).toBeLessThan(70)
})

test('a page of changes reads what changed, not all that ever was', async () => {
  const from = await currentSnapshot(database)
  const nothing = await entriesRead(() => readChanges(database, owner, { epoch: 'any', from }, 100))
  expect(nothing).toBeLessThan(5)
})
