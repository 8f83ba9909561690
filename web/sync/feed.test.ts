import { afterEach, describe, expect, test } from 'vitest'
import type { PromptView } from '../../shared/prompt-view.ts'
import { createApiClient } from './api-client.ts'
import { createFeed, type Feed } from './feed.ts'
import { inFlight } from './rows/in-flight.ts'
import type { Change } from './rows/server-state.ts'
import { silenceMs } from './stream/event-stream.ts'
import { createFakeEventSources } from './testing/fake-event-source.ts'
import { idOf, makeView } from './testing/make-view.ts'
import { createManualClock, settled } from './testing/manual-clock.ts'
import { createScriptedServer, makeSession, problemBody, type Reply } from './testing/scripted-server.ts'

const streamId = idOf(0xccc)
const started: Feed[] = []
afterEach(() => {
  for (const feed of started.splice(0)) feed.stop()
})

function setup(rows: PromptView[] = []) {
  const clock = createManualClock()
  const server = createScriptedServer()
  const sources = createFakeEventSources()
  const known = new Map(rows.map((row) => [row.prompt_id, row]))
  for (const row of rows) server.rows.set(row.prompt_id, row)
  const applied: Change[] = []
  let loads = 0
  const feed = createFeed({
    api: createApiClient({ fetch: server.fetch, clock }),
    clock,
    random: () => 1,
    openEventSource: sources.open,
    apply(changes) {
      applied.push(...changes)
      for (const change of changes) if (change.kind === 'view') known.set(change.view.prompt_id, change.view)
    },
    load: async () => `loaded-${++loads}`,
    inFlight: () => inFlight(known.values(), clock.now()),
    onLive: () => undefined,
    onStreamEnd: () => undefined,
    onPolled: () => undefined,
  })
  started.push(feed)
  const hello = (version = '1.0.0') =>
    sources.last().send('hello', { version, stream_id: streamId, cursor: 'server-stands-here' })
  const goLive = async () => {
    feed.start()
    await settled()
    hello()
  }
  /** Lets time pass until there is a connection again, and greets on it. */
  const reconnect = async () => {
    for (let step = 0; step < 400 && sources.openCount() === 0; step++) await clock.advance(100)
    hello()
  }
  return { clock, server, sources, feed, known, applied, hello, goLive, reconnect, loads: () => loads }
}

const polls = /GET \/mission\/recent/
const sessions = /GET \/session/
const running = makeView(1, { state: 'running' })
const emptyPage = {
  entities: [],
  as_of: '2026-03-01T09:00:00.000Z',
  cursor: 'next',
  has_more: false,
  before: null,
}

describe('the stream', () => {
  test('is live from hello on, not from open, and resumes from where the field was read', async () => {
    const { feed, sources, hello } = setup()
    feed.start()
    await settled()
    expect(sources.last().url).toBe('/api/v1/mission/events?since=loaded-1')
    sources.last().open()
    expect(feed.status().mode).toBe('starting')
    hello()
    expect(feed.status().mode).toBe('live')
  })

  test('delivers what it hears, and nobody polls meanwhile', async () => {
    const { clock, server, sources, applied, goLive } = setup([running])
    await goLive()
    const view = makeView(1, { state: 'succeeded', revision: 2 })
    sources.last().send('job.state_changed', view, 'c2')
    expect(applied).toEqual([{ kind: 'view', view }])
    await clock.advance(25_000)
    expect(server.count(polls)).toBe(0)
  })

  test('comes back from the last event or beat it heard, not from where hello said the server stands', async () => {
    const { clock, sources, goLive } = setup()
    await goLive()
    sources.last().fail()
    await clock.advance(1_000)
    expect(sources.last().url).toContain('since=loaded-1')
    sources.last().send('hello', { version: '1.0.0', stream_id: streamId, cursor: 'x' }, 'id-of-hello')
    sources.last().send('beat', { cursor: 'beaten' })
    sources.last().fail()
    await clock.advance(1_000)
    expect(sources.last().url).toContain('since=beaten')
  })

  test.for(['no hello within 3 s', 'an error', 'two missed beats'])(
    'is closed and polled for after %s',
    async (why) => {
      const { clock, server, sources, feed, hello } = setup([running])
      feed.start()
      await settled()
      if (why === 'no hello within 3 s') await clock.advance(3_000)
      if (why === 'an error') sources.last().fail()
      if (why === 'two missed beats') {
        hello()
        await clock.advance(silenceMs)
      }
      await settled()
      const before = why === 'no hello within 3 s' ? 1 : 0
      expect(sources.all[0]?.isClosed()).toBe(true)
      expect(server.count(sessions)).toBe(2)
      expect(feed.status()).toMatchObject({ mode: 'polling', isAsking: true })
      await clock.advance(0)
      expect(server.count(polls)).toBe(before + 1)
    },
  )

  test('beats keep it alive', async () => {
    const { clock, sources, feed, goLive } = setup()
    await goLive()
    for (let beat = 0; beat < 10; beat++) {
      await clock.advance(15_000)
      sources.last().send('beat', { cursor: `beat-${beat}` })
    }
    expect(feed.status().mode).toBe('live')
    expect(sources.all).toHaveLength(1)
  })

  // R049
  test('an error document with the right content type is a failure, and the delay grows', async () => {
    const { clock, sources, feed } = setup()
    feed.start()
    const gaps: number[] = []
    let lastAtMs = clock.now()
    for (let count = 1; count <= 7; ) {
      await clock.advance(500)
      if (sources.all.length < count) continue
      gaps.push(clock.now() - lastAtMs)
      lastAtMs = clock.now()
      sources.last().open()
      sources.last().fail()
      count += 1
    }
    expect(gaps.slice(1)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000])
    expect(feed.status().mode).toBe('polling')
  })

  // R045, R051
  test('there is one connection at most, however often the server restarts and the page wakes', async () => {
    const { clock, sources, feed, hello, goLive, reconnect } = setup([running])
    await goLive()
    for (let restart = 0; restart < 6; restart++) {
      sources.last().fail()
      feed.wake()
      await clock.advance(restart % 2 === 0 ? 1_000 : 31_000)
      feed.wake()
      expect(sources.openCount()).toBeLessThanOrEqual(1)
      if (!sources.last().isClosed()) hello()
    }
    await reconnect()
    expect(sources.openCount()).toBe(1)
    expect(feed.status().mode).toBe('live')
  })

  test('an event that the contract does not know is passed over, and a reload is asked for', async () => {
    const { sources, feed, applied, goLive } = setup()
    await goLive()
    sources.last().sendRaw('job.state_changed', '{"state":"dreaming"}')
    sources.last().send('job.state_changed', running, 'c2')
    expect(feed.status()).toEqual({ mode: 'live', mustReload: true })
    expect(applied).toHaveLength(1)
  })
})

describe('polling', () => {
  test('goes on every 2 s while something is in flight, then stops, until the stream is back', async () => {
    const { clock, server, sources, feed, goLive } = setup([running])
    await goLive()
    sources.last().fail()
    await clock.advance(1)
    expect(server.count(polls)).toBe(1)
    await clock.advance(2_000)
    expect(server.count(polls)).toBe(2)
    server.rows.set(running.prompt_id, makeView(1, { state: 'succeeded', revision: 2 }))
    await clock.advance(2_000)
    expect(server.count(polls)).toBe(3)
    expect(feed.status()).toMatchObject({ mode: 'polling', isAsking: false })
    await clock.advance(60_000)
    expect(server.count(polls)).toBe(3)
  })

  test('goes on from each page to the next until there is no more', async () => {
    const { clock, server, sources, applied, goLive } = setup([running])
    await goLive()
    const pages = new Map([
      ['loaded-1', { entities: [makeView(1, { revision: 2 })], cursor: 'p1', has_more: true }],
      ['p1', { entities: [makeView(2)], cursor: 'p2', has_more: true }],
      ['p2', { entities: [], cursor: 'p3', has_more: false }],
    ])
    server.on(polls, ({ path }) => {
      const page = pages.get(new URLSearchParams(path.split('?')[1]).get('since') ?? '')
      return { status: 200, body: { ...emptyPage, ...page } }
    })
    sources.last().fail()
    await clock.advance(1)
    expect(server.count(polls)).toBe(3)
    expect(applied).toHaveLength(2)
    await clock.advance(1_000)
    expect(sources.last().url).toContain('since=p3')
  })

  test('starts when something comes into flight, such as a prompt that is on its way', async () => {
    const { clock, server, sources, feed, known, goLive } = setup()
    await goLive()
    sources.last().fail()
    await clock.advance(10_000)
    expect(server.count(polls)).toBe(0)
    known.set(running.prompt_id, running)
    feed.reconsider()
    await clock.advance(2_000)
    expect(server.count(polls)).toBe(1)
  })

  test('a prompt scheduled for later is asked for once, at its time; a held one never', async () => {
    const atMs = Date.parse('2026-03-01T09:30:00.000Z')
    const scheduled = makeView(1, { wait_reason: { code: 'scheduled', at: new Date(atMs).toISOString() } })
    const held = makeView(2, { wait_reason: { code: 'held', prompt_id: idOf(9), cause: 'failed' } })
    const { clock, server, sources, goLive } = setup([scheduled, held])
    await goLive()
    sources.last().fail()
    server.on(/mission\/events/, () => 'offline')
    await clock.advance(atMs - 61_000 - clock.now())
    expect(server.count(polls)).toBe(0)
    server.rows.set(scheduled.prompt_id, makeView(1, { state: 'succeeded', revision: 3 }))
    await clock.advance(70_000)
    expect(server.count(polls)).toBe(1)
  })

  // R041
  test('a page that comes late does not take the stream back to where it was', async () => {
    const { clock, server, sources, feed, goLive, hello } = setup([running])
    await goLive()
    let release: (reply: Reply) => void = () => undefined
    server.on(polls, () => new Promise<Reply>((resolve) => (release = resolve)))
    sources.last().fail()
    await clock.advance(1_000)
    hello()
    sources.last().send('job.state_changed', makeView(1, { state: 'succeeded', revision: 5 }), 'newer')
    const late = { ...emptyPage, entities: [running], cursor: 'older', has_more: true }
    release({ status: 200, body: late })
    await settled()
    expect(server.count(polls)).toBe(1)
    expect(feed.status().mode).toBe('live')
    sources.last().fail()
    await clock.advance(1_000)
    expect(sources.last().url).toContain('since=newer')
  })
})

describe('waking', () => {
  // R005
  test('asks at once, and only once for several signs of it', async () => {
    const { clock, server, feed, goLive } = setup([running])
    await goLive()
    feed.wake()
    feed.wake()
    feed.wake()
    await settled()
    expect(server.count(polls)).toBe(1)
    await clock.advance(1_000)
    feed.wake()
    await settled()
    expect(server.count(polls)).toBe(2)
  })

  // R005
  test('a stream that was silent while the machine slept is replaced at once', async () => {
    const { clock, sources, feed, goLive } = setup()
    await goLive()
    clock.sleep(3_600_000)
    feed.wake()
    await settled()
    expect(sources.all[0]?.isClosed()).toBe(true)
    expect(sources.all).toHaveLength(2)
  })

  test('a poll that hung before the machine slept does not hold up the next', async () => {
    const { clock, server, sources, feed, applied, goLive } = setup([running])
    await goLive()
    server.on(polls, () => new Promise<Reply>(() => undefined))
    sources.last().fail()
    await clock.advance(1)
    clock.sleep(60_000)
    const answered = makeView(1, { state: 'succeeded', revision: 2 })
    const body = { ...emptyPage, entities: [answered] }
    server.on(polls, () => ({ status: 200, body }))
    feed.wake()
    await settled()
    expect(applied).toEqual([{ kind: 'view', view: answered }])
  })
})

describe('trouble', () => {
  test('offline says since when, keeps asking while something is in flight, and recovers', async () => {
    const { clock, server, sources, feed, goLive, reconnect } = setup([running])
    await goLive()
    const sinceMs = clock.now()
    let isDown = true
    for (const call of [sessions, polls]) {
      const body = call === sessions ? makeSession() : emptyPage
      server.on(call, () => (isDown ? 'offline' : { status: 200, body }))
    }
    sources.last().fail()
    await clock.advance(20_000)
    expect(feed.status()).toEqual({ mode: 'offline', sinceMs, mustReload: false })
    isDown = false
    await clock.advance(2_000)
    expect(feed.status().mode).toBe('polling')
    await reconnect()
    expect(feed.status().mode).toBe('live')
  })

  // R053
  test('a session that ended stops everything and says so, and what follows a sign-in goes on by itself', async () => {
    const { clock, server, sources, feed, hello, goLive } = setup([running])
    await goLive()
    let isSignedIn = false
    server.on(sessions, () =>
      isSignedIn ? { status: 200, body: makeSession() } : problemBody(401, 'unauthenticated', 'Sign in.'),
    )
    sources.last().fail()
    await settled()
    expect(feed.status().mode).toBe('signed-out')
    const calls = server.calls.length
    await clock.advance(5 * 60_000)
    expect(server.calls).toHaveLength(calls)
    expect(sources.openCount()).toBe(0)
    expect(clock.armed()).toBe(0)

    isSignedIn = true
    feed.wake()
    await settled()
    hello()
    expect(feed.status().mode).toBe('live')
  })

  test('another version of the server asks for a reload, and the feed goes on', async () => {
    const { clock, sources, feed, hello, goLive } = setup()
    await goLive()
    sources.last().fail()
    await clock.advance(1_000)
    hello('1.1.0')
    expect(feed.status()).toEqual({ mode: 'live', mustReload: true })
  })

  test('a resync reads the field anew and goes on from there, by stream and by poll', async () => {
    const { clock, server, sources, loads, goLive } = setup([running])
    await goLive()
    sources.last().send('resync', { cursor: 'new' })
    await settled()
    expect(loads()).toBe(2)
    expect(sources.openCount()).toBe(1)
    expect(sources.last().url).toContain('since=loaded-2')

    await clock.advance(10_000)
    const body = { ...emptyPage, resync: true }
    server.on(polls, () => ({ status: 200, body }))
    sources.last().fail()
    await clock.advance(2_000)
    expect(loads()).toBe(3)
  })

  test('a server that asks for one resync after the other is not answered as fast as it asks', async () => {
    const { clock, sources, loads, goLive } = setup()
    await goLive()
    for (let count = 0; count < 5; count++) {
      sources.last().send('hello', { version: '1.0.0', stream_id: streamId, cursor: 'x' })
      sources.last().send('resync', { cursor: 'x' })
      await settled()
    }
    expect(loads()).toBe(2)
    await clock.advance(1_000)
    expect(loads()).toBe(3)
  })

  test('a restored database, or somebody else signed in, means reading everything anew', async () => {
    const { clock, server, sources, loads, goLive } = setup()
    await goLive()
    server.on(sessions, () => ({ status: 200, body: makeSession({ epoch: 'second' }) }))
    sources.last().fail()
    await clock.advance(1_000)
    expect(loads()).toBe(2)
  })

  test('a server that is down when the page opens is asked until it is there', async () => {
    const { clock, server, feed, reconnect } = setup()
    let isDown = true
    server.on(sessions, () => (isDown ? 'offline' : { status: 200, body: makeSession() }))
    feed.start()
    await clock.advance(4_000)
    expect(feed.status().mode).toBe('offline')
    isDown = false
    await reconnect()
    expect(feed.status().mode).toBe('live')
  })

  test('stopped, it leaves no connection, no request and no timer behind', async () => {
    const { clock, sources, feed, goLive } = setup([running])
    await goLive()
    sources.last().fail()
    await clock.advance(1)
    feed.stop()
    await settled()
    expect(sources.openCount()).toBe(0)
    expect(clock.armed()).toBe(0)
  })
})
