import { Hono } from 'hono'
import { compress } from 'hono/compress'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { StreamItem } from '../execution/observe/streams.ts'
import { submitPrompt } from '../execution/submit-prompt.ts'
import { testClock } from '../execution/testing/test-clock.ts'
import { type TestDatabase, testDatabase } from '../store/testing/test-database.ts'
import { eventStream, stalledMs } from './event-stream.ts'
import { sseReader } from './testing/sse-reader.ts'
import { type TestHttp, testHttp, testOrigin } from './testing/test-http.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

const address = `${testOrigin}/api/v1/mission/events`

async function follow(http: TestHttp, cookie: string, headers: Record<string, string> = {}, query = '') {
  const response = await http.app.request(`${address}${query}`, { headers: { cookie, ...headers } })
  return { response, ...sseReader(response) }
}

describe('the stream', () => {
  it('begins with hello and tells each change with its cursor', async () => {
    const http = testHttp(db.database)
    const { who, cookie } = await http.visitor()
    const stream = await follow(http, cookie)
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream')
    expect(await stream.next()).toMatchObject({
      event: 'hello',
      id: expect.any(String),
      data: { version: 'test', stream_id: expect.any(String) },
    })
    const { prompt_id } = await submitPrompt(http.execution, who, { text: 'a\nb\r\nc\u2028' })
    expect(await stream.next()).toMatchObject({
      event: 'job.state_changed',
      id: expect.any(String),
      data: { prompt_id, state: 'queued' },
    })
    await stream.leave()
  })

  it('streams text without ids to whoever asked for it', async () => {
    const http = testHttp(db.database)
    const { who, cookie } = await http.visitor()
    const { prompt_id } = await submitPrompt(http.execution, who, { text: 'Why?' })
    const stream = await follow(http, cookie)
    const hello = await stream.next()
    const shown = await http.call(`/api/v1/mission/streams/${Object(hello?.data).stream_id}/shown`, {
      method: 'PUT',
      cookie,
      body: { prompt_ids: [prompt_id] },
    })
    expect(shown.status).toBe(204)
    await http.worker.claimOnce()
    const call = await http.provider.call(0)
    call.options.onDelta('Because')
    http.clock.advance(1_000)
    let event = await stream.next()
    while (event?.event !== 'response.delta') event = await stream.next()
    expect(event).toMatchObject({ id: null, data: { prompt_id, text: 'Because' } })
    call.answer('Because.')
    await http.worker.idle()
    await stream.leave()
  })

  it('resumes from Last-Event-ID, which wins over the address', async () => {
    const http = testHttp(db.database)
    const { who, cookie } = await http.visitor()
    const first = await follow(http, cookie)
    const hello = await first.next()
    const one = await submitPrompt(http.execution, who, { text: 'one' })
    const two = await submitPrompt(http.execution, who, { text: 'two' })
    await first.leave()
    const behindOne = encodeURIComponent(one.cursor)
    const resumed = await follow(http, cookie, { 'last-event-id': hello?.id ?? '' }, `?since=${behindOne}`)
    const named = [await resumed.next(), await resumed.next(), await resumed.next()]
    expect(named.map((event) => event?.event)).toEqual(['hello', 'job.state_changed', 'job.state_changed'])
    expect(named.slice(1).map((event) => Object(event?.data).prompt_id)).toEqual([
      one.prompt_id,
      two.prompt_id,
    ])
    await resumed.leave()
    const fromOne = await follow(http, cookie, {}, `?since=${behindOne}`)
    await fromOne.next()
    expect(await fromOne.next()).toMatchObject({ data: { prompt_id: two.prompt_id } })
    await fromOne.leave()
  })

  it('beats, so that a silent one can be told from a dead one', async () => {
    const http = testHttp(db.database)
    const stream = await follow(http, (await http.visitor()).cookie)
    await stream.next()
    http.clock.advance(15_000)
    expect(await stream.next()).toMatchObject({ event: 'beat', data: { cursor: expect.any(String) } })
    await stream.leave()
  })

  // R047
  it('is not held back by a compressing middleware', async () => {
    const http = testHttp(db.database)
    const outer = new Hono().use(compress()).mount('/', http.app.fetch)
    const { cookie } = await http.visitor()
    const response = await outer.request(address, { headers: { cookie, 'accept-encoding': 'gzip' } })
    expect(response.headers.get('content-encoding')).toBe('identity')
    expect(response.headers.get('cache-control')).toContain('no-transform')
    const reader = sseReader(response)
    expect((await reader.next())?.event).toBe('hello')
    await reader.leave()
  })
})

describe('its end', () => {
  // R055
  it('comes with its client: of a hundred that leave nothing remains', async () => {
    const http = testHttp(db.database)
    const { cookie } = await http.visitor()
    const idle = http.clock.armed
    const leaving = new AbortController()
    const streams = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const signal = index % 2 === 0 ? leaving.signal : undefined
        const reader = sseReader(await http.app.request(address, { headers: { cookie }, signal }))
        await reader.next()
        return reader
      }),
    )
    expect(http.execution.streams.size).toBe(100)
    leaving.abort()
    await Promise.all(streams.filter((_, index) => index % 2 === 1).map((stream) => stream.leave()))
    expect(http.execution.streams.size).toBe(0)
    expect(http.clock.armed).toBe(idle)
  })

  it('comes with signing out, and leaves other sessions alone', async () => {
    const http = testHttp(db.database)
    const { who, cookie } = await http.visitor()
    const mine = await follow(http, cookie)
    const elsewhere = await follow(http, await http.signIn(who))
    await mine.next()
    await elsewhere.next()
    await http.call('/api/v1/session', { method: 'DELETE', cookie })
    expect(await mine.next()).toBeNull()
    expect(http.execution.streams.size).toBe(1)
    await elsewhere.leave()
  })

  // R053
  it('comes with the session', async () => {
    const http = testHttp(db.database)
    const { cookie } = await http.visitor()
    const stream = await follow(http, cookie)
    await stream.next()
    const rest = stream.next()
    http.clock.advance(30 * 24 * 60 * 60_000)
    let event = await rest
    while (event !== null) event = await stream.next()
    expect(http.execution.streams.size).toBe(0)
    expect((await follow(http, cookie)).response.status).toBe(401)
  })

  it('is a clean one, without words of the failure behind it', async () => {
    const logged: unknown[] = []
    const log = { info: () => {}, warn: () => {}, error: (fields: unknown) => void logged.push(fields) }
    const ending = new AbortController()
    const response = eventStream({ items: failing(), ending, cut: () => {}, clock: testClock(), log })
    const text = await response.text()
    expect(text).toContain('event: beat')
    expect(text).not.toContain('secret')
    expect(ending.signal.aborted).toBe(true)
    expect(logged).toHaveLength(1)
  })

  it('is cut when the client takes nothing for two beats', async () => {
    const clock = testClock()
    const ending = new AbortController()
    let cuts = 0
    const log = { info: () => {}, warn: () => {}, error: () => {} }
    const response = eventStream({ items: beats(ending.signal), ending, cut: () => cuts++, clock, log })
    const reader = sseReader(response)
    await reader.next()
    clock.advance(stalledMs - 1)
    await reader.next()
    expect([ending.signal.aborted, cuts]).toEqual([false, 0])
    clock.advance(stalledMs)
    expect([ending.signal.aborted, cuts]).toEqual([true, 1])
    expect(clock.armed).toBe(0)
  })
})

const aBeat: StreamItem = { event: 'beat', data: { cursor: 'c' } }

async function* failing(): AsyncGenerator<StreamItem> {
  yield aBeat
  throw new Error('secret')
}

async function* beats(signal: AbortSignal): AsyncGenerator<StreamItem> {
  while (!signal.aborted) yield aBeat
}
