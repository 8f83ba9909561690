import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type RunningPostgres, startPostgres } from '../../testing/start-postgres.ts'
import { isUniqueViolation } from '../statement-error.ts'
import { openPostgres } from './open-postgres.ts'

let server: RunningPostgres
beforeAll(async () => {
  server = await startPostgres()
})
beforeEach(async () => {
  const database = await openPostgres({ url: server.url, connectionsMax: 1 })
  await database.rows(sql`drop table if exists note`)
  await database.rows(sql`create table note (id int primary key)`)
  await database.close()
})
afterAll(() => server.stop())

const unavailable = { name: 'DomainError', code: 'database_unavailable' }

test('a restart in the midst of everything: what fails says so, nothing hangs, and the pool goes on', async () => {
  const pool = await openPostgres({ url: server.url, connectionsMax: 4 })
  const acknowledged: number[] = []
  const failures: unknown[] = []
  let stopped = false
  const writer = async (from: number): Promise<void> => {
    for (let id = from; !stopped; id += 10) {
      try {
        await pool.transaction((tx) => tx.rows(sql`insert into note values (${id})`))
        acknowledged.push(id)
      } catch (error) {
        failures.push(error)
        // Committed before the answer was lost: known, and not written twice.
        if (isUniqueViolation(error)) throw error
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
  }
  const writers = Array.from({ length: 10 }, (_, n) => writer(n))
  await untilCount(() => acknowledged.length, 50)
  await server.restart('immediate')
  const before = acknowledged.length
  await untilCount(() => acknowledged.length, before + 50)
  stopped = true
  await Promise.all(writers)
  expect(failures.length).toBeGreaterThan(0)
  for (const failure of failures) expect(failure).toMatchObject(unavailable)
  const rows = await pool.rows<{ id: number }>(sql`select id from note`)
  const stored = new Set(rows.map(({ id }) => id))
  expect(acknowledged.filter((id) => !stored.has(id))).toEqual([])
  await pool.close()
})

test('a pool that sat idle over a restart works again with its first statements', async () => {
  const pool = await openPostgres({ url: server.url, connectionsMax: 4 })
  await Promise.all(Array.from({ length: 4 }, () => pool.rows(sql`select pg_sleep(0.05)`)))
  await server.restart('immediate')
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => pool.rows(sql`select ${n}::int as n`)),
  )
  expect(answers.flat()).toHaveLength(8)
  await pool.close()
})

async function untilCount(count: () => number, wanted: number): Promise<void> {
  while (count() < wanted) await new Promise((resolve) => setTimeout(resolve, 5))
}
