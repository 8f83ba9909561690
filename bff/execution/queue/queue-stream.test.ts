import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../../store/testing/test-database.ts'
import { openStream, type StreamItem } from '../observe/streams.ts'
import { submitPrompt } from '../submit-prompt.ts'
import { interposedDatabase } from '../testing/interposed-database.ts'
import { readStream } from '../testing/stream-reader.ts'
import { threadTest } from '../testing/thread-test.ts'
import { turn, until } from '../testing/until.ts'
import { queueSpacingMs } from './queue-feed.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

async function setup(database = db.database) {
  const test = await threadTest(database, { orgConcurrency: 1 })
  const client = new AbortController()
  return {
    ...test,
    client,
    open: async (who = test.me) =>
      readStream(await openStream(test.execution, who, { signal: client.signal })),
    /** As whoever moves a gate does it: the row, then the word. */
    async gate(provider: string, closedUntil: string | null) {
      await database.rows(sql`delete from provider_gate where provider = ${provider}`)
      if (closedUntil !== null)
        await database.rows(sql`
          insert into provider_gate (provider, closed_until, updated_at)
          values (${provider}, ${closedUntil}::timestamptz, now())`)
      database.signals.publish([{ topic: 'gates' }])
    },
  }
}

const gates = (items: readonly StreamItem[]) =>
  items.flatMap((item) =>
    item.event === 'provider.gate' ? [[item.data.provider, item.data.closed_until]] : [],
  )
const queues = (items: readonly StreamItem[]) =>
  items.flatMap((item) => (item.event === 'queue.changed' ? [item.data] : []))

describe('gates on a stream', () => {
  it('are told right after hello, then whenever one closes, moves or opens, to everybody', async () => {
    const test = await setup()
    const [soon, later] = [test.inMs(60_000), test.inMs(120_000)]
    await test.gate('acme', soon)
    const one = await test.open()
    const two = await test.open(await test.person())
    await until(() => gates(one.items).length > 0 && gates(two.items).length > 0)
    expect(one.items.slice(0, 2).map((item) => item.event)).toEqual(['hello', 'provider.gate'])
    await test.gate('acme', later)
    await test.gate('other', soon)
    await test.gate('acme', null)
    await until(() => gates(one.items).length === 4 && gates(two.items).length === 4)
    for (const { items } of [one, two]) {
      expect(gates(items)).toEqual([
        ['acme', soon],
        ['acme', later],
        ['other', soon],
        ['acme', null],
      ])
    }
    expect(one.items.every((item) => item.event !== 'provider.gate' || item.id === undefined)).toBe(true)
    test.client.abort()
    await one.end
    expect(test.clock.armed).toBe(0)
  })

  it('are read again after a reading that failed', async () => {
    let broken = false
    const test = await setup(
      interposedDatabase(db.database, {
        before: () => {
          if (broken) throw new Error('gone')
        },
      }),
    )
    const reader = await test.open()
    const soon = test.inMs(60_000)
    await db.database.rows(sql`
      insert into provider_gate (provider, closed_until, updated_at) values ('acme', ${soon}::timestamptz, now())`)
    broken = true
    db.database.signals.publish([{ topic: 'gates' }])
    await until(() => test.clock.armed > 1)
    broken = false
    test.clock.advance(1_000)
    await until(() => gates(reader.items).length === 1)
    test.client.abort()
  })

  it('cost nothing while nobody listens', async () => {
    const test = await setup()
    const before = db.database.statementCount()
    db.database.signals.publish([{ topic: 'gates' }, { topic: 'events' }])
    await turn()
    expect([db.database.statementCount() - before, test.clock.armed]).toEqual([0, 0])
  })
})

describe('the queue on a stream', () => {
  it('is told as it stands, then at most once a second, to the org it is of', async () => {
    const test = await setup()
    const reader = await test.open()
    const stranger = await test.open(await test.person())
    await until(() => queues(reader.items).length === 1)
    expect(queues(reader.items)).toEqual([{ running: 0, waiting: 0, org_limit: false }])
    test.clock.advance(queueSpacingMs)
    for (let index = 0; index < 10; index++) await submitPrompt(test.execution, test.me, { text: `${index}` })
    await until(() => queues(reader.items).length === 2)
    await turn()
    expect(queues(reader.items)).toHaveLength(2)
    await test.claimed()
    test.clock.advance(queueSpacingMs)
    await until(() => queues(reader.items).length === 3)
    expect(queues(reader.items)[2]).toEqual({ running: 1, waiting: 9, org_limit: true })
    expect(queues(stranger.items)).toEqual([{ running: 0, waiting: 0, org_limit: false }])
    test.client.abort()
    await reader.end
  })

  it('that did not change is not told again', async () => {
    const test = await setup()
    const id = await test.submit('Ask')
    const reader = await test.open()
    await until(() => queues(reader.items).length === 1)
    test.clock.advance(queueSpacingMs)
    const before = db.database.statementCount()
    await test.cancel(id)
    await test.submit('Another')
    test.clock.advance(queueSpacingMs)
    await until(() => db.database.statementCount() > before)
    await turn()
    test.clock.advance(queueSpacingMs)
    await turn()
    const told = queues(reader.items).map((queue) => queue.waiting)
    expect(told.every((waiting, index) => waiting !== told[index - 1])).toBe(true)
    expect(told.at(-1)).toBe(1)
    test.client.abort()
    await reader.end
  })
})
