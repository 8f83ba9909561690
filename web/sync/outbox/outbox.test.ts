import { describe, expect, test } from 'vitest'
import { createApiClient } from '../api-client.ts'
import { makeEntry } from '../testing/make-entry.ts'
import { idOf, makeView } from '../testing/make-view.ts'
import { createManualClock, settled } from '../testing/manual-clock.ts'
import { createScriptedServer, problemBody, type Reply, type SeenCall } from '../testing/scripted-server.ts'
import { createMemoryStore, type KeptStore } from './kept-store.ts'
import { createOutbox, unsentAfterMs } from './outbox.ts'

const submits = /POST \/prompt$/
const me = idOf(0xaaa)

function setup(store: KeptStore = { ...createMemoryStore(), isDurable: true }) {
  const clock = createManualClock()
  const server = createScriptedServer()
  const told: string[] = []
  const open = () =>
    createOutbox({
      store,
      api: createApiClient({ fetch: server.fetch, clock }),
      clock,
      random: () => 1,
      onAdded: (entry) => told.push(`added ${entry.request.text}`),
      onAccepted: (answer) => told.push(`accepted ${answer.view.text_excerpt}`),
      onDropped: (entry) => told.push(`dropped ${entry.request.text}`),
      onParentGone: (promptId) => told.push(`gone ${promptId}`),
    })
  return { clock, server, store, told, open, outbox: open() }
}

/** What the server answers to the submit of the prompt with this number. */
function accepted({ body }: Pick<SeenCall, 'body'>): Reply {
  const id = typeof body === 'object' && body !== null && 'prompt_id' in body ? String(body.prompt_id) : ''
  const view = makeView(Number.parseInt(id.slice(-12), 16))
  const { prompt_id, job_id, state, created_at } = view
  return { status: 202, body: { prompt_id, job_id, state, as_of: created_at, cursor: 'c', view } }
}

describe('a prompt on its way', () => {
  test('is written down beside its first sending and leaves when the server has it', async () => {
    const { server, store, told, outbox } = setup()
    let release: (reply: Reply) => void = () => undefined
    server.on(submits, () => new Promise<Reply>((resolve) => (release = resolve)))
    expect(await outbox.add(makeEntry(1), [])).toBe(true)
    expect(await store.entries()).toHaveLength(1)
    expect(server.count(submits)).toBe(1)
    release(accepted({ body: makeEntry(1).request }))
    await settled()
    expect(told).toEqual(['added text 1', 'accepted text 1'])
    expect(await store.entries()).toEqual([])
    expect(outbox.ids().size).toBe(0)
  })

  test('looks like any other for 2 s, then says that it is unsent, and no more once it is not', async () => {
    const { clock, server, outbox } = setup()
    server.on(submits, () => 'offline')
    void outbox.add(makeEntry(1), [])
    await clock.advance(unsentAfterMs - 1)
    expect(outbox.sendState(idOf(1))).toBe('sending')
    await clock.advance(1)
    expect(outbox.sendState(idOf(1))).toBe('unsent')
    server.on(submits, accepted)
    outbox.sendAll()
    await settled()
    expect(outbox.sendState(idOf(1))).toBeUndefined()
    expect(clock.armed()).toBe(0)
  })

  // R011, R013
  test('is sent again with a growing delay, always under the id it has', async () => {
    const { clock, server, outbox } = setup()
    server.on(submits, () => 'offline')
    void outbox.add(makeEntry(1), [])
    await clock.advance(8_000)
    expect(server.count(submits)).toBe(4)
    const ids = new Set(server.calls.map(({ body }) => JSON.stringify(body)))
    expect([...ids]).toEqual([JSON.stringify(makeEntry(1).request)])
  })

  test('survives a reload and is sent then', async () => {
    const { server, outbox, open, told } = setup()
    server.on(submits, () => 'offline')
    await outbox.add(makeEntry(1), [])
    outbox.stop()
    server.on(submits, accepted)
    await open().openFor(me)
    await settled()
    expect(told).toEqual(['added text 1', 'added text 1', 'accepted text 1'])
  })

  test('is not two requests at once', async () => {
    const { server, outbox } = setup()
    server.on(submits, () => new Promise<Reply>(() => undefined))
    void outbox.add(makeEntry(1), [])
    outbox.sendAll()
    outbox.sendAll()
    await settled()
    expect(server.count(submits)).toBe(1)
  })

  test('waits for the one that it continues', async () => {
    const { server, outbox } = setup()
    server.on(submits, () => 'offline')
    void outbox.add(makeEntry(1), [])
    void outbox.add(makeEntry(2, { parent_id: idOf(1) }), [])
    await settled()
    expect(server.count(submits)).toBe(1)
    server.on(submits, accepted)
    outbox.sendAll()
    await settled()
    expect(server.calls.slice(1).map(({ body }) => body)).toEqual([
      makeEntry(1).request,
      makeEntry(2).request,
    ])
    expect(outbox.ids().size).toBe(0)
  })

  test('belongs to who wrote it: another person neither sees nor sends it', async () => {
    const { server, told, outbox, store } = setup()
    server.on(submits, () => 'offline')
    await outbox.add(makeEntry(1), [])
    await settled()
    const before = server.count(submits)
    await outbox.openFor(idOf(0xddd))
    outbox.sendAll()
    await settled()
    expect(server.count(submits)).toBe(before)
    expect(told).toEqual(['added text 1', 'dropped text 1'])
    expect(await store.entries()).toHaveLength(1)
  })
})

describe('a refusal', () => {
  test.for([400, 404, 409, 410, 413, 422])(
    '%i gives the text back with the sentence, and is final',
    async (status) => {
      const { clock, server, store, told, outbox } = setup()
      server.on(submits, () => problemBody(status, 'invalid_request', 'It cannot be done.'))
      await outbox.add(makeEntry(1), [])
      await settled()
      expect(outbox.refusal('new')).toMatchObject({
        text: 'text 1',
        sentence: 'It cannot be done.',
        promptId: idOf(1),
      })
      expect(await store.draft('new')).toMatchObject({ text: 'text 1' })
      expect(await store.entries()).toEqual([])
      expect(told).toEqual(['added text 1', 'dropped text 1'])
      expect(clock.armed()).toBe(0)
      outbox.dismissRefusal('new')
      expect(outbox.refusal('new')).toBeUndefined()
    },
  )

  test.for([401, 429, 500, 503])('%i is no refusal: the prompt stays', async (status) => {
    const { server, store, outbox } = setup()
    server.on(submits, () => problemBody(status, 'internal', 'Not now.'))
    await outbox.add(makeEntry(1), [])
    await settled()
    expect(outbox.refusal('new')).toBeUndefined()
    expect(outbox.ids().has(idOf(1))).toBe(true)
    expect(await store.entries()).toHaveLength(1)
  })

  test('a full server is not asked before the time it named', async () => {
    const { clock, server, outbox } = setup()
    const full = problemBody(429, 'too_many_requests', 'Later.')
    server.on(submits, () => ({ ...full, headers: { 'retry-after': '20' } }))
    void outbox.add(makeEntry(1), [])
    await clock.advance(19_000)
    expect(server.count(submits)).toBe(1)
    await clock.advance(2_000)
    expect(server.count(submits)).toBe(2)
  })

  // R053
  test('signed out, nothing is tried until somebody says so', async () => {
    const { clock, server, outbox } = setup()
    server.on(submits, () => problemBody(401, 'unauthenticated', 'Sign in.'))
    void outbox.add(makeEntry(1), [])
    await clock.advance(300_000)
    expect(server.count(submits)).toBe(1)
    server.on(submits, accepted)
    outbox.sendAll()
    await settled()
    expect(outbox.ids().size).toBe(0)
  })

  test('of the first comes upon what continues it, by the server’s word', async () => {
    const { server, outbox } = setup()
    server.on(submits, () => problemBody(404, 'not_found', 'There is no such prompt.'))
    void outbox.add(makeEntry(1), [])
    void outbox.add(makeEntry(2, { parent_id: idOf(1), draft_key: idOf(1) }), [])
    await settled()
    expect(outbox.refusal(idOf(1))?.text).toBe('text 2')
    expect(outbox.ids().size).toBe(0)
  })

  // R089
  test('for a parent that was deleted gives the text to the box that is still there', async () => {
    const { server, store, told, outbox } = setup()
    server.on(submits, () => problemBody(410, 'gone', 'The prompt to continue was deleted.'))
    await outbox.add(makeEntry(2, { parent_id: idOf(1), draft_key: idOf(1) }), [])
    await settled()
    expect(outbox.refusal('new')).toMatchObject({
      text: 'text 2',
      sentence: 'The prompt to continue was deleted.',
    })
    expect((await store.draft('new'))?.text).toBe('text 2')
    expect(told).toEqual(['added text 2', 'dropped text 2', `gone ${idOf(1)}`])
  })
})

describe('without a store that lasts', () => {
  test('the box is cleared once the server has the prompt, not before', async () => {
    const { server, outbox } = setup(createMemoryStore())
    let release: (reply: Reply) => void = () => undefined
    server.on(submits, () => new Promise<Reply>((resolve) => (release = resolve)))
    let isSafe: boolean | undefined
    void outbox.add(makeEntry(1), []).then((safe) => {
      isSafe = safe
    })
    await settled()
    expect(isSafe).toBeUndefined()
    release(accepted({ body: makeEntry(1).request }))
    await settled()
    expect(isSafe).toBe(true)
  })

  test('a refusal leaves the box as it is', async () => {
    const { server, outbox } = setup(createMemoryStore())
    server.on(submits, () => problemBody(400, 'invalid_request', 'No.'))
    expect(await outbox.add(makeEntry(1), [])).toBe(false)
  })
})

test('one that is withdrawn is neither shown nor sent again', async () => {
  const { clock, server, store, told, outbox } = setup()
  server.on(submits, () => 'offline')
  await outbox.add(makeEntry(1), [])
  await outbox.withdraw(idOf(1))
  const before = server.count(submits)
  await clock.advance(60_000)
  expect(server.count(submits)).toBe(before)
  expect(told).toEqual(['added text 1', 'dropped text 1'])
  expect(await store.entries()).toEqual([])
})
