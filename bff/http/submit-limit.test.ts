import { afterAll, beforeAll, expect, it } from 'vitest'
import { testClock } from '../execution/testing/test-clock.ts'
import { type TestDatabase, testDatabase } from '../store/testing/test-database.ts'
import { createSubmitLimit } from './submit-limit.ts'
import { testHttp } from './testing/test-http.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.close())

it('takes a minute’s allowance at once, then what time gives back, for each session by itself', () => {
  const clock = testClock()
  const limit = createSubmitLimit(3, clock)
  for (let taken = 0; taken < 3; taken++) limit.take('a')
  expect(() => limit.take('a')).toThrow(expect.objectContaining({ details: { retryAfterSeconds: 20 } }))
  limit.take('b')
  clock.advance(20_000)
  limit.take('a')
  expect(() => limit.take('a')).toThrow('try again in 20 s')
  clock.advance(600_000)
  for (let taken = 0; taken < 3; taken++) limit.take('a')
  expect(() => limit.take('a')).toThrow()
})

it('accepts exactly 1,200 at once', () => {
  const limit = createSubmitLimit(1_200, testClock())
  for (let taken = 0; taken < 1_200; taken++) limit.take('a')
  expect(() => limit.take('a')).toThrow()
})

it('answers 429 with Retry-After, refuses submits only, and accepts who waited', async () => {
  const { call, visitor, clock } = testHttp(db.database, { settings: { submitsPerMinute: 2 } })
  const { cookie } = await visitor()
  const other = await visitor()
  const post = (as: string) => call('/api/v1/prompt', { method: 'POST', cookie: as, body: { text: 'Hi' } })
  expect([(await post(cookie)).status, (await post(cookie)).status]).toEqual([202, 202])
  const refused = await post(cookie)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30'])
  expect((await post(other.cookie)).status).toBe(202)
  expect((await call('/api/v1/session', { cookie })).status).toBe(200)
  clock.advance(30_000)
  expect((await post(cookie)).status).toBe(202)
})
