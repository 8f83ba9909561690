import { afterEach, describe, expect, test } from 'vitest'
import { idOf, makeView } from './testing/make-view.ts'
import { settled } from './testing/manual-clock.ts'
import { makeSession, problemBody } from './testing/scripted-server.ts'
import { setUpSync, stopSyncs } from './testing/start-sync.ts'

afterEach(stopSyncs)

const root = makeView(1, { state: 'succeeded', revision: 3 })
const second = makeView(2, {
  state: 'succeeded',
  revision: 3,
  parent_id: idOf(1),
  correlation_id: idOf(1),
})
const gone = (view: typeof root) => ({
  ...view,
  revision: view.revision + 1,
  deleted: true,
  text_excerpt: '',
})
const input = (text: string, parentId: string) => ({ text, parentId, draftKey: idOf(1) })

// R089
describe('a prompt that was deleted in another tab', () => {
  test('leaves the field at once by the stream, and nothing late brings it back', async () => {
    const { clock, sources, sync, goLive } = setUpSync([root, second])
    await goLive()
    sync.requestViews([idOf(1), idOf(2)])
    await clock.advance(20)
    sources.last().send('entity.changed', gone(second))
    expect(sync.state.layout.snapshot().ids).toEqual([idOf(1)])
    expect([sync.state.view(idOf(2)), sync.state.isDeleted(idOf(2))]).toEqual([undefined, true])
    expect(sync.state.states.counts().total).toBe(1)
    sync.state.apply([{ kind: 'view', view: { ...second, revision: 9 } }])
    sync.state.applyDetail({ view: second, text: 'late', answer: null, draft: null, partial: null })
    expect(sync.state.layout.snapshot().ids).toEqual([idOf(1)])
  })

  test('leaves the field within one poll', async () => {
    const running = makeView(3, { state: 'running' })
    const { clock, server, sources, sync, goLive } = setUpSync([root, running])
    await goLive()
    server.on(/GET \/mission\/recent/, () => ({
      status: 200,
      body: { entities: [gone(root)], as_of: root.created_at, cursor: 'p', has_more: false, before: null },
    }))
    sources.last().fail()
    await clock.advance(2_000)
    expect(sync.state.layout.snapshot().ids).toEqual([idOf(3)])
  })

  test('is not continued: the words are kept, and the field learns of it by that', async () => {
    const { server, store, sync, goLive } = setUpSync([root, second])
    await goLive()
    server.on(/POST \/prompt$/, () => problemBody(410, 'gone', 'The prompt to continue was deleted.'))
    sync.drafts.note(idOf(1), 'and then?')
    await sync.submit(input('and then?', idOf(2))).kept
    await settled()
    expect(sync.outbox.refusal('new')?.sentence).toBe('The prompt to continue was deleted.')
    expect((await store.draft('new'))?.text).toBe('and then?')
    expect(sync.state.layout.snapshot().ids).toEqual([idOf(1)])
  })
})

describe('deleting', () => {
  test('a prompt, or a thread, takes away what the server has hidden', async () => {
    const { server, sync, goLive } = setUpSync([root, second, makeView(3)])
    await goLive()
    server.on(/DELETE \/prompts/, () => ({ status: 204 }))
    server.on(/DELETE \/threads/, () => ({ status: 204 }))
    await sync.actions.deletePrompt(idOf(3))
    expect(sync.state.layout.snapshot().ids).toEqual([idOf(1), idOf(2)])
    await sync.actions.deleteThread(idOf(1))
    expect(sync.state.layout.snapshot().ids).toEqual([])
  })

  test('what runs is refused and stays', async () => {
    const running = makeView(1, { state: 'running' })
    const { server, sync, goLive } = setUpSync([running])
    await goLive()
    server.on(/DELETE \/prompts/, () =>
      problemBody(409, 'state_conflict', 'This prompt is being answered; stop it first.', {
        state: 'running',
      }),
    )
    await expect(sync.actions.deletePrompt(idOf(1))).rejects.toMatchObject({ code: 'state_conflict' })
    expect(sync.state.layout.snapshot().ids).toEqual([idOf(1)])
  })
})

// R053
test('a session that ended keeps field and draft, and a sign-in goes on from there', async () => {
  const { clock, server, sources, store, sync, hello, goLive } = setUpSync([root])
  await goLive()
  sync.requestViews([idOf(1)])
  await clock.advance(20)
  let isSignedIn = false
  server.on(/GET \/session/, () =>
    isSignedIn ? { status: 200, body: makeSession() } : problemBody(401, 'unauthenticated', 'Sign in.'),
  )
  sources.last().fail()
  sync.drafts.note(idOf(1), 'half a thought')
  await clock.advance(5 * 60_000)
  expect(sync.feed.status().mode).toBe('signed-out')
  expect(sync.state.layout.snapshot().ids).toEqual([idOf(1)])
  expect(sync.state.view(idOf(1))?.text_excerpt).toBe(root.text_excerpt)
  expect((await store.draft(idOf(1)))?.text).toBe('half a thought')
  isSignedIn = true
  sync.feed.wake()
  await settled()
  hello()
  expect(sync.feed.status().mode).toBe('live')
  expect((await store.draft(idOf(1)))?.text).toBe('half a thought')
})
