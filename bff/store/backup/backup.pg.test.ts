import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readEverything, writeSample } from '../testing/backup-sample.ts'
import { type TestDatabase, testDatabase } from '../testing/test-database.ts'
import { testPostgres } from '../testing/test-postgres.ts'
import { backup } from './backup.ts'
import { restore } from './restore.ts'

const now = new Date('2026-06-07T08:09:10.111Z')
const folder = mkdtempSync(join(tmpdir(), 'mission-backup-'))
const file = join(folder, 'backup.ndjson.gz')
let embedded: TestDatabase
let postgres: TestDatabase
beforeAll(async () => {
  embedded = await testDatabase()
  postgres = await testPostgres()
})
beforeEach(async () => {
  await embedded.truncate()
  await postgres.truncate()
})
afterAll(async () => {
  await embedded.close()
  await postgres.close()
  rmSync(folder, { recursive: true })
})

test('data moves from PGlite to PostgreSQL and back without a change', async () => {
  await writeSample(embedded.database, 700)
  const original = await readEverything(embedded.database)
  await backup(embedded.database, file, new Date(0))
  await restore(postgres.database, file, now)
  expect(await readEverything(postgres.database)).toEqual(original)
  expect(await postgres.database.rows(sql`select distinct tx from event`)).toEqual([{ tx: '3' }])
  await embedded.truncate()
  await backup(postgres.database, file, new Date(0))
  await restore(embedded.database, file, now)
  expect(await readEverything(embedded.database)).toEqual(original)
})

test('a backup holds one moment, while others go on writing', async () => {
  await writeSample(postgres.database, 2000)
  const before = await readEverything(postgres.database)
  const saving = backup(postgres.database, file, new Date(0))
  let going = true
  const writing = (async () => {
    while (going) {
      await postgres.database.rows(
        sql`update event set data = '{"changed":true}' where seq = (random() * 2000)::int`,
      )
    }
  })()
  await saving
  going = false
  await writing
  await restore(embedded.database, file, now)
  const restored = await readEverything(embedded.database)
  expect(restored.event?.length).toBe(before.event?.length)
  expect({ ...restored, event: [] }).toEqual({ ...before, event: [] })
  const changed = restored.event?.filter((line) => line.includes('changed')).length
  const [later] = await postgres.database.rows<{ n: number }>(
    sql`select count(*) as n from event where data ? 'changed'`,
  )
  expect(changed).toBeLessThan(later?.n ?? 0)
})

test('of two restores at once one wins and the other finds rows', async () => {
  await writeSample(embedded.database, 10)
  await backup(embedded.database, file, new Date(0))
  const outcomes = await Promise.allSettled([
    restore(postgres.database, file, now),
    restore(postgres.database, file, now),
  ])
  expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1)
  expect(await readEverything(postgres.database)).toEqual(await readEverything(embedded.database))
})
