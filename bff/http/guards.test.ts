import { sql } from 'drizzle-orm'
import { v7 as uuidV7 } from 'uuid'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { endpoints } from '../../shared/api.ts'
import { type Endpoint, urlOf } from '../../shared/endpoint.ts'
import { submitPrompt } from '../execution/submit-prompt.ts'
import { type TestDatabase, testDatabase } from '../store/testing/test-database.ts'
import { loopbackHosts } from './http-parts.ts'
import { sseReader } from './testing/sse-reader.ts'
import { type TestHttp, testHost, testHttp, testOrigin } from './testing/test-http.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

const all: [string, Endpoint][] = Object.entries(endpoints)
const guarded = all.filter(([, { open }]) => !open)
const owned = guarded.filter(([, { params }]) => params !== undefined)

describe('without a session', () => {
  // R053
  it.for(guarded)('%s answers 401, never a redirect', async ([, endpoint]) => {
    const { call } = testHttp(db.database)
    for (const cookie of [undefined, 'mission_session=', 'mission_session=invented', 'mission_session=%00']) {
      const [path, request] = sample(endpoint, () => uuidV7())
      const answer = await call(path, { ...request, cookie })
      expect([answer.status, (await answer.json()).code]).toEqual([401, 'unauthenticated'])
    }
  })

  it('nothing tells which addresses exist', async () => {
    const { app } = testHttp(db.database)
    expect((await app.request(`${testOrigin}/api/v1/nothing`)).status).toBe(401)
  })
})

describe('of another person', () => {
  // R035, R021
  it.for(owned)('%s answers as if there were none, and changes nothing', async ([, endpoint]) => {
    const http = testHttp(db.database)
    const { mine, theirs } = await twoPeople(http)
    const before = await everything()
    const foreign = await requestWith(http, endpoint, theirs.ids, mine.cookie)
    const none = await requestWith(http, endpoint, { prompt_id: uuidV7(), stream_id: uuidV7() }, mine.cookie)
    expect(foreign).toEqual(none)
    expect(foreign).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect(await everything()).toEqual(before)
    await theirs.leave()
  })

  it('nothing is in any list, view or field', async () => {
    const http = testHttp(db.database)
    const { mine, theirs } = await twoPeople(http)
    const { json } = http
    const { cookie } = mine
    const views = await json(`/api/v1/mission/views?ids=${theirs.ids.prompt_id}`, { cookie })
    const field = await json('/api/v1/mission/field', { cookie })
    const recent = await json('/api/v1/mission/recent', { cookie })
    expect([views.views, field.ids, recent.entities]).toEqual([[], [], []])
    await theirs.leave()
  })

  it('nothing is continued, marked seen or sent again under its id', async () => {
    const http = testHttp(db.database)
    const { mine, theirs } = await twoPeople(http)
    const { prompt_id, job_id } = theirs.ids
    const before = await everything()
    const post = async (path: string, body: object) =>
      (await http.call(path, { method: 'POST', cookie: mine.cookie, body })).status
    expect(await post('/api/v1/prompt', { text: 'On', parent_id: prompt_id })).toBe(400)
    expect(await post('/api/v1/prompt', { text: 'On', root_entity_id: prompt_id })).toBe(400)
    expect(await post('/api/v1/prompt', { text: 'theirs', prompt_id })).toBe(404)
    expect(await post('/api/v1/prompts/seen', { prompts: [{ prompt_id, job_id }] })).toBe(204)
    expect(await everything()).toEqual(before)
    await theirs.leave()
  })
})

describe('from elsewhere', () => {
  const foreignOrigins = [
    'https://evil.example',
    'http://127.0.0.1:9999',
    'https://127.0.0.1:7410',
    'http://127.0.0.1:7410.evil.example',
    'null',
  ]
  it.for(guarded)('%s refuses every origin but ours', async ([, endpoint]) => {
    const { app, visitor } = testHttp(db.database)
    const { cookie } = await visitor()
    const [path, request] = sample(endpoint, () => uuidV7())
    for (const origin of foreignOrigins) {
      const answer = await app.request(`${testOrigin}${path}`, {
        method: request.method,
        headers: { cookie, origin },
      })
      expect([answer.status, (await answer.json()).code]).toEqual([403, 'forbidden_origin'])
    }
  })

  it('our own origin, and one that the settings name, pass', async () => {
    const { call, visitor } = testHttp(db.database, { settings: { origins: ['http://localhost:5173'] } })
    const { cookie } = await visitor()
    for (const origin of [testOrigin, 'http://localhost:5173']) {
      expect((await call('/api/v1/session', { cookie, headers: { origin } })).status).toBe(200)
    }
  })

  it.for(['cross-site', 'same-site'])('a change that a browser calls %s is refused', async (site) => {
    const { call, visitor } = testHttp(db.database)
    const { cookie } = await visitor()
    const body = { text: 'Hi' }
    const send = (from: string) =>
      call('/api/v1/prompt', { method: 'POST', cookie, body, headers: { 'sec-fetch-site': from } })
    expect((await send(site)).status).toBe(403)
    expect((await send('same-origin')).status).toBe(202)
  })

  it('a page that was served under another name gets nothing, whatever it asks', async () => {
    const { app, visitor } = testHttp(db.database)
    const { cookie } = await visitor()
    for (const host of [
      'evil.example',
      'evil.example:7410',
      '127.0.0.1',
      '127.0.0.1:80',
      `${testHost}.evil`,
    ]) {
      for (const path of ['/', '/api/v1/session', '/healthz', '/login/x']) {
        const answer = await app.request(`${testOrigin}${path}`, { headers: { cookie, host } })
        expect([host, answer.status, (await answer.json()).code]).toEqual([host, 403, 'forbidden_host'])
      }
    }
    expect((await app.request('http://evil.example/healthz', { headers: { host: testHost } })).status).toBe(
      403,
    )
  })

  it('the names of this machine all lead here', async () => {
    const { app } = testHttp(db.database, { settings: { hosts: () => loopbackHosts(7410) } })
    for (const host of ['127.0.0.1:7410', 'LOCALHOST:7410', '[::1]:7410']) {
      expect((await app.request(`http://${host}/healthz`, { headers: { host } })).status).toBe(200)
    }
  })
})

describe('addresses and methods', () => {
  it.for(all)('%s tells other methods what is possible', async ([, endpoint]) => {
    const { app, visitor } = testHttp(db.database)
    const { cookie } = await visitor()
    const [path] = sample(endpoint, () => uuidV7())
    const sharing = all.filter(([, other]) => other.path === endpoint.path).map(([, other]) => other.method)
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PURGE']) {
      if (sharing.some((shared) => shared === method)) continue
      // `/prompts/seen` is, for a GET, the address of a prompt with a strange id.
      const answer = await app.request(`${testOrigin}${path}`, { method, headers: { cookie } })
      if (path.endsWith('/seen') && method === 'GET') expect(answer.status).toBe(400)
      else
        expect([answer.status, answer.headers.get('allow')]).toEqual([
          405,
          expect.stringContaining(endpoint.method),
        ])
    }
  })

  it('a HEAD opens no stream', async () => {
    const { app, visitor, execution } = testHttp(db.database)
    const { cookie } = await visitor()
    const answer = await app.request(`${testOrigin}/api/v1/mission/events`, {
      method: 'HEAD',
      headers: { cookie },
    })
    expect([answer.status, answer.headers.get('allow'), execution.streams.size]).toEqual([405, 'GET', 0])
  })

  it('what is not there is a problem under /api', async () => {
    const { call, visitor } = testHttp(db.database)
    const { cookie } = await visitor()
    for (const path of ['/api', '/api/v2/session', '/api/v1/nothing', '/api/v1/models/']) {
      expect((await call(path, { cookie, headers: { accept: 'text/html' } })).status).toBe(404)
    }
  })
})

/** A request that fits the contract, with ids of the test's choice. */
function sample(endpoint: Endpoint, id: () => string): [string, { method: string; body?: unknown }] {
  const params = Object.fromEntries(Object.keys(endpoint.params?.shape ?? {}).map((name) => [name, id()]))
  const query = endpoint.path.endsWith('/views') ? { ids: uuidV7() } : {}
  return [urlOf(endpoint, params, query), { method: endpoint.method, body: sampleBody(endpoint) }]
}

function sampleBody(endpoint: Endpoint): unknown {
  if (endpoint.path.endsWith('/prompt')) return { text: 'Hi' }
  if (endpoint.path.endsWith('/shown')) return { prompt_ids: [] }
  if (endpoint.path.endsWith('/seen')) return { prompts: [{ prompt_id: uuidV7(), job_id: uuidV7() }] }
  return undefined
}

async function requestWith(http: TestHttp, endpoint: Endpoint, ids: Record<string, string>, cookie: string) {
  const method = endpoint.method
  const answer = await http.call(urlOf(endpoint, ids), { method, cookie, body: sampleBody(endpoint) })
  return { status: answer.status, body: await answer.json() }
}

/** Two people in orgs of their own; the other one has a prompt and an open stream. */
async function twoPeople(http: TestHttp) {
  const mine = await http.visitor()
  const other = await http.visitor()
  const { prompt_id, job_id } = await submitPrompt(http.execution, other.who, { text: 'theirs' })
  const events = `${testOrigin}/api/v1/mission/events`
  const reader = sseReader(await http.app.request(events, { headers: { cookie: other.cookie } }))
  const hello = await reader.next()
  const stream_id = Object(hello?.data).stream_id
  return { mine, theirs: { ids: { prompt_id, job_id, stream_id }, leave: reader.leave } }
}

/** Every row that a request could change. */
async function everything(): Promise<unknown> {
  const tables = ['entity', 'job', 'event', 'seen', 'edge', 'thread']
  return Promise.all(
    tables.map((name) => db.database.rows(sql.raw(`select t::text from ${name} t order by 1`))),
  )
}
