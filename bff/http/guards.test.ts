import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { endpoints } from '../../shared/api.ts'
import type { Endpoint } from '../../shared/endpoint.ts'
import { type TestDatabase, testDatabase } from '../store/testing/test-database.ts'
import { loopbackHosts } from './http-parts.ts'
import { sampleRequest } from './testing/sample-request.ts'
import { testHost, testHttp, testOrigin } from './testing/test-http.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

const all: [string, Endpoint][] = Object.entries(endpoints)
const guarded = all.filter(([, { open }]) => !open)

describe('without a session', () => {
  // R053
  it.for(guarded)('%s answers 401, never a redirect', async ([, endpoint]) => {
    const { call } = testHttp(db.database)
    for (const cookie of [undefined, 'mission_session=', 'mission_session=invented', 'mission_session=%00']) {
      const [path, request] = sampleRequest(endpoint)
      const answer = await call(path, { ...request, cookie })
      expect([answer.status, (await answer.json()).code]).toEqual([401, 'unauthenticated'])
    }
  })

  it('nothing tells which addresses exist', async () => {
    const { app } = testHttp(db.database)
    expect((await app.request(`${testOrigin}/api/v1/nothing`)).status).toBe(401)
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
    const [path, request] = sampleRequest(endpoint)
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
    const [path] = sampleRequest(endpoint)
    const sharing = all.filter(([, other]) => other.path === endpoint.path).map(([, other]) => other.method)
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PURGE']) {
      if (sharing.some((shared) => shared === method)) continue
      const answer = await app.request(`${testOrigin}${path}`, { method, headers: { cookie } })
      // `/prompts/seen` is, for a GET, the address of a prompt with a strange id; a body of no type comes before that.
      if (isAddressOfOther(path, method)) expect([400, 415]).toContain(answer.status)
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

/** Whether a word of this path stands where another call has an id. */
function isAddressOfOther(path: string, method: string): boolean {
  return all.some(([, other]) => {
    const pattern = new RegExp(`^${other.path.replace(/\{\w+\}/g, '[a-z-]+')}$`)
    return other.method === method && other.params !== undefined && pattern.test(path)
  })
}
