import { afterEach, describe, expect, test } from 'vitest'
import { errorSentence } from './api-error.ts'
import { newThreadDraftKey } from './outbox/drafts.ts'
import { idOf, makeView } from './testing/make-view.ts'
import { settled } from './testing/manual-clock.ts'
import { makeSession, problemBody, type Reply } from './testing/scripted-server.ts'
import { setUpSync, stopSyncs } from './testing/start-sync.ts'

afterEach(stopSyncs)

const input = (text: string) => ({ text, draftKey: newThreadDraftKey })
const polls = /GET \/mission\/recent/
const views = /GET \/mission\/views/

describe('the rows', () => {
  test('come from the field in one call, views only of what is asked for and of what may move', async () => {
    const rows = [makeView(1, { state: 'succeeded' }), makeView(2, { state: 'succeeded' }), makeView(3)]
    const { clock, server, sync, goLive } = setUpSync(rows)
    await goLive()
    expect(sync.state.layout.snapshot().ids).toEqual([idOf(1), idOf(2), idOf(3)])
    await clock.advance(20)
    expect(sync.state.view(idOf(3))?.state).toBe('queued')
    expect(sync.state.view(idOf(1))).toBeUndefined()
    sync.requestViews([idOf(1), idOf(2), idOf(3)])
    sync.requestViews([idOf(1), idOf(2), idOf(3)])
    await clock.advance(20)
    expect(sync.state.view(idOf(1))?.text_excerpt).toBe('text 1')
    expect(server.count(views)).toBe(2)
    sync.requestViews([idOf(1), idOf(2)])
    await clock.advance(20)
    expect(server.count(views)).toBe(2)
  })

  test('what is on screen is read in requests of 200 at most', async () => {
    const rows = Array.from({ length: 450 }, (_, number) => makeView(number, { state: 'succeeded' }))
    const { clock, server, sync, goLive } = setUpSync(rows)
    await goLive()
    sync.requestViews(rows.map((row) => row.prompt_id))
    await clock.advance(20)
    expect(server.count(views)).toBe(3)
    expect(rows.every((row) => sync.state.view(row.prompt_id) !== undefined)).toBe(true)
  })

  test('a prompt that the server does not have any more leaves the field', async () => {
    const { clock, server, sync, goLive } = setUpSync([makeView(1, { state: 'succeeded' })])
    await goLive()
    server.rows.clear()
    sync.requestViews([idOf(1)])
    await clock.advance(20)
    expect(sync.state.layout.has(idOf(1))).toBe(false)
  })

  // R019
  test('ten reconnects that replay everything leave the field as it is', async () => {
    const rows = Array.from({ length: 20 }, (_, number) => makeView(number, { state: 'succeeded' }))
    const { clock, sources, sync, hello, goLive } = setUpSync(rows)
    await goLive()
    const epoch = sync.state.layout.snapshot().epoch
    for (let round = 0; round < 10; round++) {
      sources.last().fail()
      for (let step = 0; step < 50 && sources.openCount() === 0; step++) await clock.advance(1_000)
      hello()
      for (const row of rows) sources.last().send('job.state_changed', row, `c${row.prompt_id}`)
    }
    expect(sync.state.layout.snapshot().epoch).toBe(epoch)
    expect(sync.state.states.counts()).toMatchObject({ total: 20, unseen: 20 })
  })

  // R007
  test('counts are alike before and after a reload, and in a second browser', async () => {
    const rows = [
      makeView(1),
      makeView(2, { state: 'running' }),
      makeView(3),
      makeView(4, { state: 'failed' }),
    ]
    const first = setUpSync(rows.slice(0, 2))
    await first.goLive()
    for (const row of rows) first.sources.last().send('job.state_changed', row, 'c')
    const second = setUpSync(rows)
    await second.goLive()
    expect(second.sync.state.states.counts()).toEqual(first.sync.state.states.counts())
    expect(second.sync.state.states.counts()).toMatchObject({ atWork: 1, waiting: 2 })
  })

  test('a resync drops the server’s rows, whatever their revisions, and keeps what is on its way', async () => {
    const { clock, server, sources, sync, goLive } = setUpSync([
      makeView(1, { state: 'succeeded', revision: 90 }),
    ])
    await goLive()
    sync.requestViews([idOf(1)])
    await clock.advance(20)
    server.on(/POST \/prompt$/, () => 'offline')
    const { promptId } = sync.submit(input('still here'))
    server.rows.clear()
    server.rows.set(idOf(1), makeView(1, { state: 'running', revision: 3 }))
    server.rows.set(idOf(5), makeView(5))
    sources.last().send('resync', { cursor: 'n' })
    await clock.advance(50)
    expect(sync.state.view(idOf(1))).toMatchObject({ state: 'running', revision: 3 })
    expect(sync.state.layout.snapshot().ids).toEqual([idOf(1), idOf(5), promptId])
    expect(sync.state.view(promptId)?.text_excerpt).toBe('still here')
  })

  test('a renamed thread is renamed on each of its prompts', async () => {
    const second = makeView(2, { correlation_id: idOf(1), parent_id: idOf(1) })
    const { clock, sources, sync, goLive } = setUpSync([makeView(1), second])
    await goLive()
    await clock.advance(20)
    sources.last().send('thread.changed', { id: idOf(1), title: 'Tides' }, 'c')
    expect([idOf(1), idOf(2)].map((id) => sync.state.view(id)?.thread_title)).toEqual(['Tides', 'Tides'])
    expect(sync.state.layout.thread(idOf(1))?.title).toBe('Tides')
  })

  test('transitions are told with what was before', async () => {
    const { clock, sources, sync, goLive } = setUpSync([makeView(1)])
    await goLive()
    await clock.advance(20)
    const told: string[] = []
    sync.state.onTransition(({ before, after }) => told.push(`${before?.state} → ${after.state}`))
    for (const [revision, state] of [
      [2, 'running'],
      [3, 'succeeded'],
      [3, 'succeeded'],
    ] as const) {
      sources.last().send('job.state_changed', makeView(1, { revision, state }), 'c')
    }
    sync.submit(input('x'))
    await settled()
    expect(told).toEqual(['queued → running', 'running → succeeded', 'undefined → queued'])
  })
})

describe('submitting', () => {
  test('puts the drop on the field before the call returns, at the end of its thread', async () => {
    const { sync, goLive } = setUpSync([makeView(1, { state: 'succeeded' })])
    await goLive()
    const { promptId } = sync.submit({ text: 'And  then?\n', parentId: idOf(1), draftKey: idOf(1) })
    expect(sync.state.view(promptId)).toMatchObject({
      state: 'queued',
      text_excerpt: 'And then?',
      revision: -1,
    })
    expect(sync.state.layout.idsOfThread(idOf(1))).toEqual([idOf(1), promptId])
    expect(sync.outbox.sendState(promptId)).toBe('sending')
    await settled()
    expect(sync.state.view(promptId)).toMatchObject({ revision: 1, correlation_id: idOf(1) })
    expect(sync.state.layout.placing(promptId)?.createdAt).toBe(Date.parse('2026-03-01T09:00:01.000Z'))
    expect(sync.outbox.sendState(promptId)).toBeUndefined()
  })

  test('counts the prompt once, whoever tells of it first', async () => {
    const { server, sources, sync, goLive } = setUpSync()
    await goLive()
    let release: (reply: Reply) => void = () => undefined
    server.on(/POST \/prompt$/, () => new Promise<Reply>((resolve) => (release = resolve)))
    const { promptId } = sync.submit(input('first by stream'))
    const view = makeView(1, { prompt_id: promptId, correlation_id: promptId, state: 'running', revision: 2 })
    sources.last().send('job.state_changed', view, 'c')
    const answer = { ...view, state: 'queued' as const, revision: 1 }
    release({
      status: 202,
      body: {
        prompt_id: promptId,
        job_id: view.job_id,
        state: 'queued',
        as_of: view.created_at,
        cursor: 'c',
        view: answer,
      },
    })
    await settled()
    expect(sync.state.layout.snapshot().ids).toEqual([promptId])
    expect(sync.state.view(promptId)?.state).toBe('running')
  })

  // R011
  test('with the server down keeps the text, says unsent, and goes under the same id when asked to', async () => {
    const { clock, server, store, sync, goLive } = setUpSync()
    await goLive()
    server.on(/POST \/prompt$/, () => 'offline')
    sync.drafts.note(newThreadDraftKey, 'precious')
    const { promptId, kept } = sync.submit(input('precious'))
    expect(await kept).toBe(true)
    await clock.advance(2_500)
    expect(sync.outbox.sendState(promptId)).toBe('unsent')
    expect((await store.entries())[0]?.request.text).toBe('precious')
    const ids = server.calls.flatMap(({ path, body }) => (path === '/prompt' ? JSON.stringify(body) : []))
    expect(new Set(ids).size).toBe(1)
    expect(ids[0]).toContain(promptId)
  })

  test('refused, the drop goes, the text comes back, and the same text goes under the same id again', async () => {
    const { server, store, sync, goLive } = setUpSync()
    await goLive()
    server.on(/POST \/prompt$/, () => problemBody(422, 'unsupported_option', 'No such model.'))
    const first = sync.submit(input('try this'))
    await settled()
    expect(sync.state.layout.has(first.promptId)).toBe(false)
    expect(sync.outbox.refusal(newThreadDraftKey)?.sentence).toBe('No such model.')
    expect(await store.draft(newThreadDraftKey)).toMatchObject({ text: 'try this' })
    expect(sync.submit(input('try this')).promptId).toBe(first.promptId)
    expect(await store.draft(newThreadDraftKey)).toBeUndefined()
    await settled()
    expect(sync.submit(input('something else')).promptId).not.toBe(first.promptId)
  })

  test('an id that the server knows with other content is not used a third time', async () => {
    const { server, sync, goLive } = setUpSync()
    await goLive()
    server.on(/POST \/prompt$/, () => problemBody(409, 'prompt_conflict', 'The id is taken.'))
    const first = sync.submit(input('same'))
    await settled()
    expect(sync.submit(input('same')).promptId).not.toBe(first.promptId)
  })

  test('something unsent is in flight: it is polled for while there is no stream', async () => {
    const { clock, server, sources, sync, goLive } = setUpSync()
    await goLive()
    sources.last().fail()
    await clock.advance(500)
    expect(server.count(polls)).toBe(0)
    server.on(/POST \/prompt$/, () => 'offline')
    sync.submit(input('x'))
    await clock.advance(2_000)
    expect(server.count(polls)).toBe(1)
  })
})

describe('acting', () => {
  test('a retry shows what the server answered, not before', async () => {
    const { clock, server, sync, goLive } = setUpSync([makeView(1, { state: 'failed', revision: 5 })])
    await goLive()
    sync.requestViews([idOf(1)])
    await clock.advance(20)
    const view = makeView(1, { job_id: idOf(0x2001), revision: 6 })
    server.on(/retry/, () => ({
      status: 202,
      body: { prompt_id: idOf(1), job_id: view.job_id, state: 'queued', view, cursor: 'c' },
    }))
    const retry = sync.actions.retry(idOf(1))
    expect(sync.state.view(idOf(1))?.state).toBe('failed')
    expect(await retry).toBe(view.job_id)
    expect(sync.state.view(idOf(1))?.state).toBe('queued')
  })

  // R029
  test('a cancel names the job’s prompt; one that came too late says so and shows what is', async () => {
    const { clock, server, sync, goLive } = setUpSync([makeView(1, { state: 'running' })])
    await goLive()
    await clock.advance(20)
    server.rows.set(idOf(1), makeView(1, { state: 'succeeded', revision: 2 }))
    server.on(/cancel/, () =>
      problemBody(409, 'state_conflict', 'It has already ended.', { state: 'succeeded' }),
    )
    const error = await sync.actions.cancel(idOf(1)).catch((reason: unknown) => reason)
    expect(errorSentence(error)).toBe('It has already ended.')
    expect(sync.state.view(idOf(1))?.state).toBe('succeeded')
    expect(server.count(new RegExp(`POST /prompts/${idOf(1)}/cancel`))).toBe(1)
  })

  // R029
  test('ending the page cancels nothing', async () => {
    const { server, sync, goLive } = setUpSync([makeView(1, { state: 'running' })])
    await goLive()
    sync.stop()
    await settled()
    expect(server.calls.filter(({ method }) => method !== 'GET' && method !== 'PUT')).toEqual([])
  })

  test('cancelling what never arrived takes it away; what arrived after all is cancelled', async () => {
    const { server, sync, goLive } = setUpSync()
    await goLive()
    server.on(/POST \/prompt$/, () => 'offline')
    server.on(/cancel/, () => problemBody(404, 'not_found', 'There is no such prompt.'))
    const lost = sync.submit(input('lost'))
    await lost.kept
    await sync.actions.cancel(lost.promptId)
    expect(sync.state.layout.has(lost.promptId)).toBe(false)

    const arrived = sync.submit(input('arrived'))
    const view = makeView(1, {
      prompt_id: arrived.promptId,
      correlation_id: arrived.promptId,
      state: 'cancelled',
    })
    server.on(/cancel/, () => ({
      status: 200,
      body: { prompt_id: arrived.promptId, job_id: view.job_id, state: 'cancelled', view, cursor: 'c' },
    }))
    await sync.actions.cancel(arrived.promptId)
    expect(sync.state.view(arrived.promptId)?.state).toBe('cancelled')
    expect(sync.outbox.ids().size).toBe(0)
  })

  test('seen counts here at once, goes out once for many, and again if it did not arrive', async () => {
    const rows = [1, 2].map((number) => makeView(number, { state: 'succeeded' }))
    const { clock, server, sync, goLive } = setUpSync(rows)
    await goLive()
    sync.requestViews([idOf(1), idOf(2)])
    await clock.advance(20)
    server.on(/seen/, () => 'offline')
    sync.seen.mark([idOf(1), idOf(2)])
    sync.seen.mark([idOf(1)])
    expect(sync.state.states.counts().unseen).toBe(0)
    await clock.advance(300)
    expect(server.count(/seen/)).toBe(1)
    server.on(/seen/, () => ({ status: 204 }))
    sync.seen.sendAgain()
    await clock.advance(300)
    expect(server.calls.at(-1)?.body).toEqual({
      prompts: rows.map(({ prompt_id, job_id }) => ({ prompt_id, job_id })),
    })
    sync.seen.sendAgain()
    await clock.advance(300)
    expect(server.count(/seen/)).toBe(2)
  })
})

describe('the stream and what is shown', () => {
  const shownCalls = /PUT \/mission\/streams/

  test('it is told once for several changes, and a new one anew', async () => {
    const { clock, server, sources, sync, hello, goLive } = setUpSync()
    await goLive()
    sync.shown.set('field', [idOf(1)])
    sync.shown.set('thread', [idOf(2), idOf(1)])
    await clock.advance(200)
    expect(server.count(shownCalls)).toBe(1)
    expect(server.calls.at(-1)?.body).toEqual({ prompt_ids: [idOf(2), idOf(1)] })
    sync.shown.set('field', [])
    await clock.advance(200)
    expect(server.count(shownCalls)).toBe(1)
    sources.last().fail()
    await clock.advance(1_500)
    hello()
    await settled()
    expect(server.count(shownCalls)).toBe(2)
  })

  test('a gap in the text is filled by the draft, and a new stream, not one for every delta, goes on from there', async () => {
    const view = makeView(1, { state: 'running' })
    const { clock, server, sources, sync, hello, goLive } = setUpSync([view])
    await goLive()
    await clock.advance(20)
    const draft = { job_id: view.job_id, run: 1, seq: 3, text: 'Once upon a' }
    const detail = { view, text: 'tell', answer: null, draft, partial: null }
    server.on(/GET \/prompts\//, () => ({ status: 200, body: detail }))
    const delta = { prompt_id: idOf(1), job_id: view.job_id, attempt: 1, run: 1, whole: false, tokens: 1 }
    for (const seq of [5, 6, 7]) sources.last().send('response.delta', { ...delta, seq, text: '.' })
    await settled()
    expect(server.count(/GET \/prompts\//)).toBe(1)
    expect(sync.state.live.get(idOf(1))?.text).toBe('Once upon a')
    expect(sources.all).toHaveLength(2)
    expect(sources.openCount()).toBe(1)
    hello()
    sources.last().send('response.delta', { ...delta, seq: 0, text: 'Once upon a time', whole: true })
    sources.last().send('response.delta', { ...delta, seq: 1, text: ' there' })
    expect(sync.state.live.get(idOf(1))?.text).toBe('Once upon a time there')
  })

  test('without a stream, what is open and runs goes on by readings of its draft', async () => {
    const view = makeView(1, { state: 'running' })
    const { clock, sources, sync, goLive } = setUpSync([view])
    await goLive()
    await clock.advance(20)
    const delta = { prompt_id: idOf(1), job_id: view.job_id, attempt: 1, run: 1, tokens: 1 }
    sources.last().send('response.delta', { ...delta, seq: 0, text: 'Once', whole: true })
    const draft = { job_id: view.job_id, run: 1, seq: 7, text: 'Once upon' }
    const detail = { view, text: 'tell', answer: null, draft, partial: null }
    sync.state.applyDetail(detail)
    expect(sync.state.live.get(idOf(1))?.text).toBe('Once')
    sources.last().fail()
    sync.state.applyDetail(detail)
    expect(sync.state.live.get(idOf(1))?.text).toBe('Once upon')
  })
})

test('somebody else signed in sees nothing of the first, and nothing of theirs is sent', async () => {
  const { clock, server, sources, sync, goLive } = setUpSync([makeView(1)])
  await goLive()
  server.on(/POST \/prompt$/, () => 'offline')
  await sync.submit(input('mine')).kept
  server.on(/GET \/session/, () => ({
    status: 200,
    body: makeSession({ person: { id: idOf(0xeee), name: 'Eve' } }),
  }))
  server.rows.clear()
  sources.last().fail()
  await clock.advance(50)
  expect(sync.state.layout.snapshot().ids).toEqual([])
  const before = server.count(/POST \/prompt$/)
  sync.outbox.sendAll()
  await settled()
  expect(server.count(/POST \/prompt$/)).toBe(before)
})

test('stopped, it leaves no timer and no connection behind', async () => {
  const { clock, server, sources, sync, goLive } = setUpSync([makeView(1, { state: 'succeeded' })])
  await goLive()
  server.on(/POST \/prompt$/, () => 'offline')
  sync.submit(input('x'))
  sync.requestViews([idOf(1)])
  sync.shown.set('field', [idOf(1)])
  sync.drafts.note('new', 'y')
  await settled()
  sync.stop()
  await settled()
  expect(sources.openCount()).toBe(0)
  expect(clock.armed()).toBe(0)
})
