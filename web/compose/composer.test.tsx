// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { useComposeTarget } from '../session/compose-target-store.ts'
import { newThreadDraftKey } from '../sync/outbox/drafts.ts'
import { makeView } from '../sync/testing/make-view.ts'
import { acted, render, unmountAll } from '../sync/testing/render.tsx'
import { problemBody } from '../sync/testing/scripted-server.ts'
import { setUpSync, stopSyncs } from '../sync/testing/start-sync.ts'
import { Composer } from './composer.tsx'

const first = makeView(1, { state: 'succeeded' })
const second = makeView(2, { state: 'running' })
const offer = { provider: 'practice', model: 'practice', practice: true, label: 'practice' }

beforeEach(() => {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe() {}
      disconnect() {}
    },
  )
  useComposeTarget.setState({ parentId: null, focusTurn: 0, hasText: false })
})

afterEach(async () => {
  await unmountAll()
  stopSyncs()
  vi.unstubAllGlobals()
})

async function openComposer() {
  const page = setUpSync([first, second])
  page.server.on(/GET \/models/, () => ({ status: 200, body: { default: offer, models: [offer] } }))
  await acted(page.goLive)
  page.sync.requestViews([first.prompt_id, second.prompt_id])
  await acted(() => page.clock.advance(20))
  const { text } = await render(page.sync, <Composer />)
  const box = document.querySelector('textarea')
  if (box === null) throw new Error('there is no box')
  const type = (written: string) =>
    acted(() => {
      box.value = written
      box.dispatchEvent(new Event('input', { bubbles: true }))
    })
  const press = (init: KeyboardEventInit) =>
    acted(() => box.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init })))
  const sent = () => page.server.calls.filter(({ path, method }) => method === 'POST' && path === '/prompt')
  return { ...page, box, text, type, press, sent }
}

test('Enter sends, and empties the box within the same event', async () => {
  const { box, type, sent } = await openComposer()
  await type('Compare both')
  await acted(() => {
    box.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, key: 'Enter' }))
    expect(box.value).toBe('')
  })
  expect(sent().map(({ body }) => body)).toMatchObject([{ text: 'Compare both' }])
  expect(document.activeElement).toBe(box)
})

// R081
test('the Enter that picks a conversion sends nothing, the next one sends once', async () => {
  const { box, type, press, sent } = await openComposer()
  await type('にほん')
  await press({ key: 'Enter', isComposing: true })
  await press({ key: 'Enter', keyCode: 229 })
  expect(sent()).toHaveLength(0)
  expect(box.value).toBe('にほん')
  await press({ key: 'Enter' })
  expect(sent()).toHaveLength(1)
})

test('blank text is not sent', async () => {
  const { type, press, sent } = await openComposer()
  await type(' \n ')
  await press({ key: 'Enter' })
  expect(sent()).toHaveLength(0)
})

// R011
test('a refused prompt comes back into the box with what is wrong, and goes again under the same id', async () => {
  const { server, box, text, type, press, sent } = await openComposer()
  server.on(/POST \/prompt$/, () => problemBody(422, 'unsupported_option', 'No such model is on offer.'))
  await type('Price both')
  await press({ key: 'Enter' })
  expect(box.value).toBe('Price both')
  expect(text()).toContain('No such model is on offer.')
  await press({ key: 'Enter' })
  const [once, again] = sent()
  expect(again?.body).toEqual(once?.body)
  expect(sent()).toHaveLength(2)
})

test('each thread has its own draft', async () => {
  const { box, type } = await openComposer()
  await type('for a new thread')
  await acted(() => useComposeTarget.getState().follow(first.prompt_id))
  expect(box.value).toBe('')
  await type('for the first')
  await acted(() => useComposeTarget.getState().follow(null))
  expect(box.value).toBe('for a new thread')
  await acted(() => useComposeTarget.getState().follow(first.prompt_id))
  expect(box.value).toBe('for the first')
})

test('who turns the box elsewhere takes the text along, unless a draft waits there', async () => {
  const { box, type, sync, clock } = await openComposer()
  await type('half a thought')
  await acted(() => useComposeTarget.getState().continueFrom(second.prompt_id))
  expect(box.value).toBe('half a thought')
  await acted(() => clock.advance(300))
  expect(await sync.drafts.read(newThreadDraftKey)).toBe('')
  expect(await sync.drafts.read(second.correlation_id)).toBe('half a thought')
  sync.drafts.note(newThreadDraftKey, 'another one')
  await acted(() => useComposeTarget.getState().startThread())
  expect(box.value).toBe('another one')
})

test('says what Enter will do', async () => {
  const { text, type, press, sent } = await openComposer()
  expect(text()).toContain('Starts a new thread')
  await acted(() => useComposeTarget.getState().follow(second.prompt_id))
  expect(text()).toContain('Continues “text 2”, starts when it is answered')
  await type('and then?')
  await press({ key: 'Enter' })
  expect(sent()[0]?.body).toMatchObject({ parent_id: second.prompt_id })
})

// R089
test('what was being written for a prompt that is deleted elsewhere goes along to the new thread', async () => {
  const { box, sources, sent, text, type, press } = await openComposer()
  await acted(() => useComposeTarget.getState().continueFrom(first.prompt_id))
  await type('and then?')
  await acted(() => sources.last().send('entity.changed', { ...first, revision: 9, deleted: true }))
  expect(box.value).toBe('and then?')
  expect(text()).toContain('new thread')
  await press({ key: 'Enter' })
  expect(sent().map(({ body }) => body)).toMatchObject([{ text: 'and then?' }])
  expect(JSON.stringify(sent()[0]?.body)).not.toContain('parent_id')
})

// R089
test('a submit that comes too late is refused with a reason, and its text is in the box', async () => {
  const { box, server, text, type, press } = await openComposer()
  server.on(/POST \/prompt$/, () => problemBody(410, 'gone', 'The prompt to continue was deleted.'))
  await acted(() => useComposeTarget.getState().continueFrom(first.prompt_id))
  await type('and then?')
  await press({ key: 'Enter' })
  expect(text()).toContain('The prompt to continue was deleted.')
  expect(box.value).toBe('and then?')
})

test('an old link to a prompt that is not there begins a new thread', async () => {
  const { text } = await openComposer()
  await acted(() => useComposeTarget.getState().follow('00000000-0000-7000-8000-0000000000ff'))
  expect(text()).toContain('Starts a new thread')
})

// R073
test('a paste beyond the limit is refused before it is inserted', async () => {
  const { box, text, type } = await openComposer()
  await type('keep me')
  const paste = new Event('paste', { bubbles: true, cancelable: true })
  Object.assign(paste, { clipboardData: { getData: () => 'x'.repeat(200_000) } })
  await acted(() => box.dispatchEvent(paste))
  expect(paste.defaultPrevented).toBe(true)
  expect(box.value).toBe('keep me')
  expect(text()).toContain('200,000')
})
