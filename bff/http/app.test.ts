import { v7 as uuidV7 } from 'uuid'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeLoginLink } from '../execution/sessions.ts'
import { type TestDatabase, testDatabase } from '../store/testing/test-database.ts'
import { cookieOf, testHttp, testOrigin } from './testing/test-http.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

describe('one prompt over HTTP', () => {
  it('is accepted, listed, drawn, answered, read, seen and asked again', async () => {
    const { json, call, visitor, worker, provider } = testHttp(db.database)
    const { cookie } = await visitor()
    const accepted = await call('/api/v1/prompt', { method: 'POST', cookie, body: { text: 'Why?' } })
    expect(accepted.status).toBe(202)
    const { prompt_id, job_id } = await accepted.json()

    expect(await json('/api/v1/mission/recent?limit=5', { cookie })).toMatchObject({
      entities: [{ prompt_id }],
    })
    expect(await json('/api/v1/mission/field', { cookie })).toMatchObject({
      ids: [prompt_id],
      state: ['queued'],
    })
    expect(await json(`/api/v1/mission/views?ids=${prompt_id},${uuidV7()}`, { cookie })).toMatchObject({
      views: [{ prompt_id, job_id }],
    })

    await worker.claimOnce()
    const answering = await provider.call(0)
    answering.answer('Because.')
    await worker.idle()
    expect(await json(`/api/v1/prompts/${prompt_id}`, { cookie })).toMatchObject({
      text: 'Why?',
      answer: { text: 'Because.' },
      view: { state: 'succeeded', seen: false },
    })
    expect(await json(`/api/v1/prompts/${prompt_id}/thread?limit=10`, { cookie })).toMatchObject({
      id: prompt_id,
      prompts: [{ text: 'Why?' }],
      next: null,
    })

    const seen = await call('/api/v1/prompts/seen', {
      method: 'POST',
      cookie,
      body: { prompts: [{ prompt_id, job_id }] },
    })
    expect(seen.status).toBe(204)
    expect(await json(`/api/v1/prompts/${prompt_id}`, { cookie })).toMatchObject({ view: { seen: true } })

    const again = await call(`/api/v1/prompts/${prompt_id}/retry`, { method: 'POST', cookie })
    expect(again.status).toBe(202)
    expect((await again.json()).job_id).not.toBe(job_id)
    const twice = await call(`/api/v1/prompts/${prompt_id}/retry`, { method: 'POST', cookie, body: {} })
    expect([twice.status, await twice.json()]).toMatchObject([
      409,
      { code: 'state_conflict', state: 'queued' },
    ])

    expect(await json(`/api/v1/prompts/${prompt_id}/cancel`, { method: 'POST', cookie })).toMatchObject({
      state: 'cancelled',
    })
  })

  it('that was cancelled or answered cannot be cancelled into something else', async () => {
    const { call, json, visitor, worker, provider } = testHttp(db.database)
    const { cookie } = await visitor()
    const { prompt_id } = await json('/api/v1/prompt', { method: 'POST', cookie, body: { text: 'Why?' } })
    await worker.claimOnce()
    const answering = await provider.call(0)
    answering.answer('Because.')
    await worker.idle()
    const refused = await call(`/api/v1/prompts/${prompt_id}/cancel`, { method: 'POST', cookie })
    expect([refused.status, await refused.json()]).toMatchObject([409, { state: 'succeeded' }])
  })

  // R013
  it('sent twice, and twenty times at once, is one prompt; the same id with other words is refused', async () => {
    const { call, visitor } = testHttp(db.database)
    const { cookie } = await visitor()
    const body = { prompt_id: uuidV7(), text: 'Once' }
    const post = (sent: object) => call('/api/v1/prompt', { method: 'POST', cookie, body: sent })
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(body)))
    answers.push(await post(body))
    const ids = await Promise.all(answers.map(async (answer) => (await answer.json()).job_id))
    expect(new Set(ids).size).toBe(1)
    expect(answers.every(({ status }) => status === 202)).toBe(true)
    const other = await post({ ...body, text: 'Twice' })
    expect([other.status, (await other.json()).code]).toEqual([409, 'prompt_conflict'])
  })
})

describe('reading', () => {
  it('pages through the newest prompts, and follows a cursor to what is new', async () => {
    const { json, visitor } = testHttp(db.database)
    const { cookie } = await visitor()
    for (const text of ['one', 'two', 'three'])
      await json('/api/v1/prompt', { method: 'POST', cookie, body: { text } })
    const newest = await json('/api/v1/mission/recent?limit=2', { cookie })
    expect(newest).toMatchObject({
      has_more: true,
      entities: [{ text_excerpt: 'three' }, { text_excerpt: 'two' }],
    })
    expect(await json(`/api/v1/mission/recent?limit=2&before=${newest.before}`, { cookie })).toMatchObject({
      has_more: false,
      entities: [{ text_excerpt: 'one' }],
    })
    await json('/api/v1/prompt', { method: 'POST', cookie, body: { text: 'four' } })
    expect(await json(`/api/v1/mission/recent?since=${newest.cursor}`, { cookie })).toMatchObject({
      entities: [{ text_excerpt: 'four' }],
    })
  })

  it('names the session, its models and what serves', async () => {
    const { json, visitor } = testHttp(db.database)
    const { cookie, who } = await visitor()
    expect(await json('/api/v1/session', { cookie })).toMatchObject({
      person: { id: who.personId },
      org: { id: who.orgId },
      version: 'test',
    })
    expect(await json('/api/v1/models', { cookie })).toMatchObject({ default: { provider: 'scripted' } })
  })
})

describe('signing in', () => {
  it('works once with a link, sets a strict cookie for thirty days and goes on to the page', async () => {
    const { call, execution, person, signIn } = testHttp(db.database)
    const { token } = await makeLoginLink(execution, await person())
    const opened = await call(`/login/${token}`)
    expect([opened.status, opened.headers.get('location')]).toEqual([303, '/'])
    const cookie = opened.headers.get('set-cookie') ?? ''
    for (const part of ['HttpOnly', 'SameSite=Strict', 'Path=/', 'Max-Age=2592000'])
      expect(cookie).toContain(part)
    expect(cookie).not.toContain('Secure')
    const again = await call(`/login/${token}`)
    expect([again.status, again.headers.get('set-cookie')]).toEqual([410, null])
    expect(await again.text()).toContain('mission login-link')
    expect(await signIn(await person())).toMatch(/^mission_session=./)
  })

  it('works after a link on another site too: the page is served without the withheld cookie', async () => {
    const { call, execution, person } = testHttp(db.database)
    const { token } = await makeLoginLink(execution, await person())
    const crossSite = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', accept: 'text/html' }
    const opened = await call(`/login/${token}`, { headers: crossSite })
    const page = await call('/', { headers: crossSite })
    expect([opened.status, page.headers.get('content-type')]).toEqual([303, 'text/html; charset=utf-8'])
    const session = await call('/api/v1/session', {
      cookie: cookieOf(opened),
      headers: { 'sec-fetch-site': 'same-origin' },
    })
    expect(session.status).toBe(200)
  })

  it('does not use a link up for a prefetch, a HEAD or another method', async () => {
    const { call, execution, person } = testHttp(db.database)
    const { token } = await makeLoginLink(execution, await person())
    expect((await call(`/login/${token}`, { headers: { 'sec-purpose': 'prefetch;prerender' } })).status).toBe(
      503,
    )
    expect((await call(`/login/${token}`, { method: 'HEAD' })).status).toBe(405)
    expect((await call(`/login/${token}`, { method: 'POST' })).status).toBe(405)
    expect((await call(`/login/${token}`)).status).toBe(303)
  })

  it('ends with the link after fifteen minutes, and with the session after thirty days', async () => {
    const { call, clock, execution, person, visitor } = testHttp(db.database)
    const { token } = await makeLoginLink(execution, await person())
    clock.advance(15 * 60_000)
    expect((await call(`/login/${token}`)).status).toBe(410)
    const { cookie } = await visitor()
    clock.advance(30 * 24 * 60 * 60_000)
    expect((await call('/api/v1/session', { cookie })).status).toBe(401)
  })

  it('is undone by signing out', async () => {
    const { call, visitor } = testHttp(db.database)
    const { cookie } = await visitor()
    const out = await call('/api/v1/session', { method: 'DELETE', cookie })
    expect([out.status, out.headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')])
    expect((await call('/api/v1/session', { cookie })).status).toBe(401)
  })
})

describe('probes and headers', () => {
  it('is ready once migrations ran and the worker claims', async () => {
    let ready = false
    const { call } = testHttp(db.database, { ready: () => ready })
    expect((await call('/healthz')).status).toBe(200)
    expect((await call('/readyz')).status).toBe(503)
    ready = true
    expect((await call('/readyz')).status).toBe(200)
    expect((await call('/healthz', { method: 'HEAD' })).status).toBe(200)
  })

  it('hands out no script of others, no frame, no sniffing and no copy of data', async () => {
    const { call, visitor } = testHttp(db.database)
    const { cookie } = await visitor()
    const page = (await call('/')).headers
    for (const rule of [
      "script-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "object-src 'none'",
    ]) {
      expect(page.get('content-security-policy')).toContain(rule)
    }
    expect(page.get('content-security-policy')).not.toMatch(/script-src[^;]*unsafe/)
    for (const { headers } of [await call('/api/v1/session', { cookie }), await call('/api/v1/nothing')]) {
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
    }
  })

  it('tells nothing of a programming error but where the log has it', async () => {
    const logged: Record<string, unknown>[] = []
    const base = testHttp(db.database)
    const log = {
      ...base.execution.log,
      error: (fields: Record<string, unknown>) => void logged.push(fields),
    }
    const { app } = testHttp(db.database, {
      execution: {
        ...base.execution,
        log,
        providers: {
          ...base.execution.providers,
          default: () => {
            throw new Error('secret: sk-123')
          },
        },
      },
    })
    const { cookie } = await base.visitor()
    const answer = await app.request(`${testOrigin}/api/v1/models`, { headers: { cookie } })
    const told = await answer.text()
    expect(answer.status).toBe(500)
    expect(told).not.toContain('sk-123')
    expect(told).toContain(String(logged[0]?.request_id))
  })
})
