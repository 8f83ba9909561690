import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../execution/testing/until.ts'
import { cutListeners, joinedProcess } from '../store/testing/joined-process.ts'
import { type TestPostgres, testPostgres } from '../store/testing/test-postgres.ts'
import { sseReader } from './testing/sse-reader.ts'
import { testHttp } from './testing/test-http.ts'

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await testPostgres()
})
afterAll(() => postgres.close())

/** Two servers, whose time stands still, and somebody who is known to both and has a stream on the second. */
async function setup() {
  const [a, b] = [await server(), await server()]
  const { cookie } = await a.visitor()
  const accepted = async () => (await b.call('/api/v1/session', { cookie })).status
  expect(await accepted()).toBe(200)
  const stream = sseReader(await b.call('/api/v1/mission/events', { cookie }))
  const ended = (async () => {
    while ((await stream.next()) !== null);
  })()
  const signOut = () => a.call('/api/v1/session', { method: 'DELETE', cookie })
  return { a, b, accepted, ended, signOut }
}

async function server() {
  const { database } = await joinedProcess(postgres.url)
  return testHttp(database)
}

it('signing out on one server ends the session and its streams on every other at once', async () => {
  const { b, accepted, ended, signOut } = await setup()
  const other = await b.visitor()
  const leaving = new AbortController()
  const { signal } = leaving
  const kept = sseReader(await b.call('/api/v1/mission/events', { cookie: other.cookie, signal }))
  expect((await signOut()).status).toBe(204)
  await ended
  expect(await accepted()).toBe(401)
  expect(await kept.next()).toMatchObject({ event: 'hello' })
  expect((await b.call('/api/v1/session', { cookie: other.cookie })).status).toBe(200)
  leaving.abort()
})

it('one that could not be heard ends it as soon as others are heard again', async () => {
  const { accepted, ended, signOut } = await setup()
  await cutListeners(postgres.database)
  await signOut()
  await ended
  await until(async () => (await accepted()) === 401)
})
