import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Log } from '../../../domain/ports.ts'
import { type RunningPooler, startPooler } from '../../testing/start-pooler.ts'
import { type TestPostgres, testPostgres } from '../../testing/test-postgres.ts'
import { openPostgres } from './open-postgres.ts'
import { joinProcesses } from './processes/join-processes.ts'

const quiet: Log = { info() {}, warn() {}, error() {} }

let direct: TestPostgres
beforeAll(async () => {
  direct = await testPostgres()
  await direct.database.rows(sql`create table counter (id int primary key, n int not null)`)
  await direct.database.rows(sql`insert into counter values (1, 0)`)
})
afterAll(() => direct.close())

const ways: [string, Record<string, string>][] = [
  ['that refuses our session settings', {}],
  [
    'that takes and drops them',
    {
      ignore_startup_parameters:
        'idle_in_transaction_session_timeout, plan_cache_mode, enable_seqscan, jit, extra_float_digits',
    },
  ],
]

describe.each(ways)('behind a pooler in transaction mode %s', (_, settings) => {
  let pooler: RunningPooler
  beforeAll(async () => {
    pooler = await startPooler(direct.url, settings)
  })
  afterAll(() => pooler.stop())

  test('statements and transactions run, whichever connection of the server they get', async () => {
    const database = await openPostgres({ url: pooler.url, connectionsMax: 8 })
    await direct.database.rows(sql`update counter set n = 0`)
    await Promise.all(
      Array.from({ length: 60 }, (_item, n) =>
        database.transaction(async (tx) => {
          await tx.rows(sql`select id from counter where id = ${1}::int for update`)
          await tx.rows(sql`update counter set n = n + ${n}::int where id = ${1}::int`)
        }),
      ),
    )
    const rows = await Promise.all(
      Array.from({ length: 20 }, () => database.rows(sql`select n from counter where id = ${1}::int`)),
    )
    await database.close()
    expect(rows).toEqual(Array.from({ length: 20 }, () => [{ n: (60 * 59) / 2 }]))
  })

  test('a process that hears nobody says so, and looks by itself', async () => {
    const database = await joinProcesses(await openPostgres({ url: pooler.url }), {
      url: pooler.url,
      log: quiet,
      pollMs: 20,
      probeMs: 300,
    })
    const looked = new Promise<void>((resolve) => database.signals.subscribe('job-queued', () => resolve()))
    await looked
    expect(database.hearsOthers()).toBe(false)
    await database.close()
  })
})
