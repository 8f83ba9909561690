import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { submitBulk } from '../execution/bulk/submit-bulk.ts'
import { type TestExecution, testExecution } from '../execution/testing/test-execution.ts'
import { type TestDatabase, testDatabase } from '../store/testing/test-database.ts'
import { startStatisticsUpkeep } from './statistics-upkeep.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(async () => {
  await db.truncate()
  // As if nobody had ever looked.
  await db.database.rows(sql`update pg_class set reltuples = -1 where oid = 'entity'::regclass`)
})
afterAll(() => db.close())

async function accept(test: TestExecution, count: number): Promise<void> {
  const lines = Array.from({ length: count }, () => ({ raw: null, request: { text: 'Ask' } }))
  await submitBulk(test.execution, await test.person(), { lines, atomic: true })
}

/** Prompts and answers as the planner knows them; -1 while it was told nothing. */
async function known(): Promise<number | undefined> {
  const [row] = await db.database.rows<{ rows: number }>(
    sql`select reltuples::float8 as rows from pg_class where oid = 'entity'::regclass`,
  )
  return row?.rows
}

test('statistics are gathered at the hundredth job, not before, and by nobody after the end', async () => {
  const of = testExecution(db.database)
  const upkeep = startStatisticsUpkeep(of.execution)
  await accept(of, 99)
  await accept(of, 1)
  await upkeep.stop()
  expect(await known()).toBe(100)
  await accept(of, 901)
  expect(await known()).toBe(100)
})

test('fewer jobs gather nothing', async () => {
  const of = testExecution(db.database)
  const upkeep = startStatisticsUpkeep(of.execution)
  await accept(of, 99)
  await upkeep.stop()
  expect(await known()).toBe(-1)
})

test('tables that are known to be larger are left alone', async () => {
  const of = testExecution(db.database)
  await db.database.rows(sql`update pg_class set reltuples = 5000 where oid = 'entity'::regclass`)
  const upkeep = startStatisticsUpkeep(of.execution)
  await accept(of, 100)
  await upkeep.stop()
  expect(await known()).toBe(5_000)
})

test('a plan that was made for an empty table is made anew: a prompt is found without reading the others', async () => {
  const fresh = await testDatabase()
  const of = testExecution(fresh.database)
  const upkeep = startStatisticsUpkeep(of.execution)
  await fresh.database.rows(sql`set plan_cache_mode = force_generic_plan`)
  await fresh.database.rows(sql`set enable_seqscan = off`)
  await fresh.database.rows(sql`
    prepare by_ids(uuid[]) as select id from entity where id = any($1) and kind = 'prompt'`)
  const plan = async () => {
    const rows = await fresh.database.rows<{ 'QUERY PLAN': string }>(
      sql`explain execute by_ids('{00000000-0000-0000-0000-000000000000}')`,
    )
    return rows.map((row) => row['QUERY PLAN']).join(' ')
  }
  expect(await plan()).not.toContain('entity_pkey')
  await accept(of, 1_000)
  await upkeep.stop()
  expect(await plan()).toContain('entity_pkey')
  await fresh.close()
})
