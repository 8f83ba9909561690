// @vitest-environment jsdom
import { afterEach, describe, expect, test } from 'vitest'
import type { PromptView } from '../../shared/prompt-view.ts'
import {
  useCancel,
  useCounts,
  useDraft,
  useFeedStatus,
  useLayout,
  useLiveText,
  usePromptDetail,
  usePromptView,
  useRefusal,
  useRequestViews,
  useSendState,
  useSession,
  useShown,
  useThreadTitle,
  useWaitReason,
} from './hooks.ts'
import { newThreadDraftKey } from './outbox/drafts.ts'
import { idOf, makeView } from './testing/make-view.ts'
import { acted, render, unmountAll } from './testing/render.tsx'
import { problemBody } from './testing/scripted-server.ts'
import { setUpSync, stopSyncs } from './testing/start-sync.ts'
import { useThread } from './use-thread.ts'

afterEach(async () => {
  await unmountAll()
  stopSyncs()
})

const running = makeView(1, { state: 'running' })
const detailOf = (view: PromptView, answer: string | null = null) => ({
  view,
  text: `whole ${view.text_excerpt}`,
  answer:
    answer === null
      ? null
      : {
          response_id: idOf(0x555),
          job_id: view.job_id,
          text: answer,
          model: null,
          practice: true,
          created_at: view.created_at,
        },
  draft: null,
  partial: null,
})

describe('one prompt', () => {
  test('a change renders the drop it is about and no other', async () => {
    const { clock, sources, sync, goLive } = setUpSync([running, makeView(2)])
    await acted(goLive)
    renders.clear()
    const page = await render(sync, <Field />)
    await acted(() => clock.advance(20))
    expect(page.text()).toBe('running queued ')
    const before = new Map(renders)
    await acted(() =>
      sources.last().send('job.state_changed', makeView(1, { state: 'succeeded', revision: 2 }), 'c'),
    )
    expect(page.text()).toBe('succeeded queued ')
    expect(renders.get(idOf(1))).toBe((before.get(idOf(1)) ?? 0) + 1)
    expect(renders.get(idOf(2))).toBe(before.get(idOf(2)))
  })

  test('after a resync its drop shows what the server has now, although the revision is lower', async () => {
    const { clock, server, sources, sync, goLive } = setUpSync([
      makeView(1, { state: 'succeeded', revision: 9 }),
    ])
    await acted(goLive)
    const page = await render(sync, <Field />)
    await acted(() => clock.advance(20))
    expect(page.text()).toBe('succeeded ')
    server.rows.set(idOf(1), makeView(1, { state: 'failed', revision: 2 }))
    await acted(() => sources.last().send('resync', { cursor: 'n' }))
    await acted(() => clock.advance(20))
    expect(page.text()).toBe('failed ')
  })

  test('its text streams while it runs, and stands until the answer was read', async () => {
    const { clock, sources, sync, goLive } = setUpSync([running])
    await acted(goLive)
    await acted(() => clock.advance(20))
    const page = await render(sync, <Live />)
    const delta = { prompt_id: idOf(1), job_id: running.job_id, attempt: 1, run: 1, whole: false }
    await acted(() => sources.last().send('response.delta', { ...delta, seq: 0, text: 'One', tokens: 1 }))
    await acted(() => sources.last().send('response.delta', { ...delta, seq: 1, text: ' two', tokens: 2 }))
    expect(page.text()).toBe('One two(2)')
    const settledView = makeView(1, { state: 'succeeded', revision: 2 })
    await acted(() => sources.last().send('job.state_changed', settledView, 'c'))
    expect(page.text()).toBe('One two(2)')
    await acted(() => sync.state.applyDetail(detailOf(settledView, 'One two three')))
    expect(page.text()).toBe('–')
  })

  // R001
  test('its answer is there on return, though nobody was looking when it came', async () => {
    const { clock, server, sources, sync, goLive } = setUpSync([running])
    await acted(goLive)
    await acted(() => clock.advance(20))
    server.on(/GET \/prompts\//, () => ({ status: 200, body: detailOf(running) }))
    const page = await render(sync, <Answer />)
    expect(page.text()).toBe('no answer yet')
    await page.unmount()
    const settledView = makeView(1, { state: 'succeeded', revision: 2 })
    await acted(() => sources.last().send('job.state_changed', settledView, 'c'))
    server.on(/GET \/prompts\//, () => ({ status: 200, body: detailOf(settledView, 'Because.') }))
    expect((await render(sync, <Answer />)).text()).toBe('Because.')
  })

  test('an open one is read again when its row changed, by whichever path it came', async () => {
    const { clock, server, sources, sync, goLive } = setUpSync([running])
    await acted(goLive)
    await acted(() => clock.advance(20))
    server.on(/GET \/prompts\//, () => ({ status: 200, body: detailOf(running) }))
    const page = await render(sync, <Answer />)
    const settledView = makeView(1, { state: 'succeeded', revision: 2 })
    server.on(/GET \/prompts\//, () => ({ status: 200, body: detailOf(settledView, 'Because.') }))
    server.rows.set(idOf(1), settledView)
    await acted(() => sources.last().fail())
    await acted(() => clock.advance(10))
    expect(page.text()).toBe('Because.')
  })

  test('what cannot be read says so in a sentence', async () => {
    const { server, sync, goLive } = setUpSync([running])
    await acted(goLive)
    server.on(/GET \/prompts\//, () => problemBody(404, 'not_found', 'There is no such prompt.'))
    expect((await render(sync, <Broken />)).text()).toBe('There is no such prompt.')
  })
})

describe('a thread', () => {
  test('is read on open in pages, stands in order, and has a turn that was just submitted at once', async () => {
    const second = makeView(2, { parent_id: idOf(1), correlation_id: idOf(1), state: 'succeeded' })
    const first = makeView(1, { state: 'succeeded' })
    const { server, sync, goLive } = setUpSync([first, second])
    await acted(goLive)
    server.on(/thread/, ({ path }) => {
      const isSecond = path.includes('after=more')
      const prompts = [isSecond ? detailOf(second, 'B') : detailOf(first, 'A')]
      const next = isSecond ? null : 'more'
      return { status: 200, body: { id: idOf(1), title: 'prompt 1', prompts, next, cursor: 'c' } }
    })
    server.on(new RegExp(`GET /prompts/${idOf(2)}$`), () => ({ status: 200, body: detailOf(second, 'B') }))
    const page = await render(sync, <Thread />)
    expect(page.text()).toBe('prompt 1 + whole text 1: A; whole text 2: B; ')
    await acted(() => page.click())
    expect(page.text()).toBe('prompt 1 . whole text 1: A; whole text 2: B; ')
    expect(server.count(/thread/)).toBe(2)
    server.on(/POST \/prompt$/, () => 'offline')
    await acted(() => sync.submit({ text: 'And C?', parentId: idOf(2), draftKey: idOf(1) }))
    expect(page.text()).toContain('whole text 2: B; And C?: …; ')
  })

  test('its title follows a renaming', async () => {
    const { sources, sync, goLive } = setUpSync([running])
    await acted(goLive)
    const page = await render(sync, <Title />)
    expect(page.text()).toBe('prompt 1')
    await acted(() => sources.last().send('thread.changed', { id: idOf(1), title: 'Tides' }, 'c'))
    expect(page.text()).toBe('Tides')
  })
})

describe('the page', () => {
  test('shows how it hears of changes, who is signed in, and the counts of the server', async () => {
    const { sources, sync, hello, goLive } = setUpSync([running, makeView(2), makeView(3)])
    const page = await render(sync, <Bar />)
    expect(page.text()).toBe('starting undefined 0/0/0')
    await acted(goLive)
    expect(page.text()).toBe('live Ada 1/2/0')
    await acted(() => sources.last().fail())
    expect(page.text()).toBe('polling Ada 1/2/0')
    hello()
  })

  test('a closed gate and taken places are why those in line wait', async () => {
    const { clock, sources, sync, goLive } = setUpSync([makeView(1)])
    await acted(goLive)
    await acted(() => clock.advance(20))
    const page = await render(sync, <Why nowMs={clock.now()} />)
    expect(page.text()).toBe('in_line')
    await acted(() => sources.last().send('queue.changed', { running: 8, waiting: 1, org_limit: true }))
    expect(page.text()).toBe('org_limit')
    const gate = { provider: 'practice', closed_until: '2026-03-01T10:00:00.000Z' }
    await acted(() => sources.last().send('provider.gate', gate))
    expect(page.text()).toBe('rate_limit')
  })

  // R011
  test('a box opens with its draft; a refused prompt comes back with its sentence', async () => {
    const { clock, server, sync, goLive } = setUpSync()
    await acted(goLive)
    sync.drafts.note(newThreadDraftKey, 'half a thought')
    await acted(() => clock.advance(250))
    const page = await render(sync, <Box />)
    expect(page.text()).toBe('half a thought / undefined: undefined')
    server.on(/POST \/prompt$/, () => problemBody(410, 'gone', 'This thread was deleted.'))
    await acted(() => sync.submit({ text: 'half a thought', draftKey: newThreadDraftKey }))
    expect(page.text()).toContain('half a thought: This thread was deleted.')
  })

  test('a prompt is unsent 2 s after Enter, and no more once the server has it', async () => {
    const { clock, server, sync, goLive } = setUpSync()
    await acted(goLive)
    server.on(/POST \/prompt$/, () => 'offline')
    const { promptId } = sync.submit({ text: 'x', draftKey: newThreadDraftKey })
    const page = await render(sync, <Sent id={promptId} />)
    expect(page.text()).toBe('sending')
    await acted(() => clock.advance(2_000))
    expect(page.text()).toBe('unsent')
    const view = makeView(1, { prompt_id: promptId, correlation_id: promptId })
    await acted(() => sync.state.apply([{ kind: 'view', view }]))
    expect(page.text()).toBe('sent')
  })

  test('an action that fails says why', async () => {
    const { server, sync, goLive } = setUpSync([running])
    await acted(goLive)
    server.on(/cancel/, () => 'offline')
    const page = await render(sync, <Stop />)
    expect(page.text()).toBe('ready')
    await acted(() => page.click())
    expect(page.text()).toBe('The server cannot be reached.')
  })

  test('what is shown is told to the stream, and taken back when it closes', async () => {
    const { clock, server, sync, goLive } = setUpSync([running])
    await acted(goLive)
    const page = await render(sync, <Panel />)
    await acted(() => clock.advance(200))
    expect(server.calls.at(-1)?.body).toEqual({ prompt_ids: [idOf(1)] })
    await page.unmount()
    await acted(() => clock.advance(200))
    expect(server.calls.at(-1)?.body).toEqual({ prompt_ids: [] })
  })
})

// R003, R005
test('a page that comes back into view asks at once, and saves what was typed when it goes', async () => {
  const { clock, server, sync, store, goLive } = setUpSync([running], { window })
  await acted(goLive)
  await acted(() => clock.advance(1_000))
  await acted(() => document.dispatchEvent(new Event('visibilitychange')))
  expect(server.count(/GET \/mission\/recent/)).toBe(1)
  await acted(() => clock.advance(1_000))
  await acted(() => window.dispatchEvent(new Event('online')))
  expect(server.count(/GET \/mission\/recent/)).toBe(2)
  sync.drafts.note(newThreadDraftKey, 'typed')
  await acted(() => window.dispatchEvent(new Event('pagehide')))
  expect(await store.draft(newThreadDraftKey)).toMatchObject({ text: 'typed' })
  sync.stop()
  await acted(() => clock.advance(1_000))
  await acted(() => window.dispatchEvent(new Event('focus')))
  expect(server.count(/GET \/mission\/recent/)).toBe(2)
})

const renders = new Map<string, number>()

function Drop({ id }: { id: string }) {
  renders.set(id, (renders.get(id) ?? 0) + 1)
  return <i>{usePromptView(id)?.state} </i>
}

function Field() {
  const { ids } = useLayout()
  useRequestViews(ids)
  return ids.map((id) => <Drop key={id} id={id} />)
}

function Live() {
  const live = useLiveText(idOf(1))
  return live ? `${live.text}(${live.tokens})` : '–'
}

function Answer() {
  const { detail, isLoading } = usePromptDetail(idOf(1))
  return isLoading ? 'loading' : (detail?.answer?.text ?? 'no answer yet')
}

function Broken() {
  return usePromptDetail(idOf(1)).error
}

function Turn({ id }: { id: string }) {
  const { detail } = usePromptDetail(id)
  return <p>{`${detail?.text}: ${detail?.answer?.text ?? '…'}; `}</p>
}

function Thread() {
  const thread = useThread(idOf(1))
  return (
    <button type="button" onClick={thread.loadMore}>
      {thread.title} {thread.hasMore ? '+' : '.'}{' '}
      {thread.promptIds.map((id) => (
        <Turn key={id} id={id} />
      ))}
    </button>
  )
}

function Title() {
  return useThreadTitle(idOf(1))
}

function Bar() {
  const { atWork, waiting, unsent } = useCounts()
  return `${useFeedStatus().mode} ${useSession()?.person.name} ${atWork}/${waiting}/${unsent}`
}

function Why({ nowMs }: { nowMs: number }) {
  return useWaitReason(usePromptView(idOf(1)), nowMs)?.code
}

function Box() {
  const { text } = useDraft(newThreadDraftKey)
  const { refusal } = useRefusal(newThreadDraftKey)
  return `${text} / ${refusal?.text}: ${refusal?.sentence}`
}

function Sent({ id }: { id: string }) {
  return useSendState(id) ?? 'sent'
}

function Stop() {
  const { run, error, isBusy } = useCancel()
  return (
    <button type="button" onClick={() => run(idOf(1))}>
      {error ?? (isBusy ? 'busy' : 'ready')}
    </button>
  )
}

const shown = [idOf(1)]

function Panel() {
  useShown('thread', shown)
  return null
}
