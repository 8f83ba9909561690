import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { endSession } from '../execution/sessions.ts'
import { type TestDatabase, testDatabase } from '../store/testing/test-database.ts'
import { rememberedMs, rememberedSessions } from './remembered-sessions.ts'
import { testHttp } from './testing/test-http.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

async function setup() {
  const { execution, clock, visitor } = testHttp(db.database)
  const { who, cookie } = await visitor()
  const token = cookie.slice(cookie.indexOf('=') + 1)
  const sessions = rememberedSessions(execution)
  const statements = async (work: () => Promise<unknown>) => {
    const before = db.database.statementCount()
    await work()
    return db.database.statementCount() - before
  }
  return { execution, clock, who, token, sessions, statements }
}

it('fifty requests that come together look up once', async () => {
  const { sessions, token, who, statements } = await setup()
  const count = await statements(async () => {
    const found = await Promise.all(Array.from({ length: 50 }, () => sessions.find(token)))
    for (const each of found) expect(each).toMatchObject(who)
  })
  expect(count).toBe(1)
  expect(await statements(() => sessions.find(token))).toBe(0)
})

it('a session that ended, wherever that was, is forgotten at once, and no other', async () => {
  const { sessions, token, execution, statements } = await setup()
  const other = await setup()
  await sessions.find(token)
  await sessions.find(other.token)
  await endSession(execution, token)
  expect(await sessions.find(token)).toBeNull()
  expect(await statements(() => sessions.find(other.token))).toBe(0)
})

it('one that ended where nobody heard of it is accepted for a moment at most', async () => {
  const { sessions, token, clock } = await setup()
  await sessions.find(token)
  await db.database.rows(sql`delete from session`)
  expect(await sessions.find(token)).not.toBeNull()
  clock.advance(rememberedMs)
  expect(await sessions.find(token)).toBeNull()
  const second = await setup()
  await second.sessions.find(second.token)
  await db.database.rows(sql`delete from session`)
  await db.database.announce([{ topic: 'signals-missed' }])
  expect(await second.sessions.find(second.token)).toBeNull()
})

it('expiry is checked at every use', async () => {
  const { sessions, token, clock } = await setup()
  clock.advance(30 * 24 * 60 * 60_000 - 1_000)
  expect(await sessions.find(token)).not.toBeNull()
  clock.advance(1_000)
  expect(await sessions.find(token)).toBeNull()
})

it('who is nobody is looked up each time', async () => {
  const { sessions, statements } = await setup()
  expect(await sessions.find('invented')).toBeNull()
  expect(await statements(() => sessions.find('invented'))).toBe(1)
})
