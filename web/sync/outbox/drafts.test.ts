import { describe, expect, test } from 'vitest'
import { createManualClock, settled } from '../testing/manual-clock.ts'
import { createDrafts, draftSaveMs, newThreadDraftKey } from './drafts.ts'
import { createMemoryStore, type KeptStore } from './kept-store.ts'

function setup(store: KeptStore = { ...createMemoryStore(), isDurable: true }) {
  const clock = createManualClock()
  const kept = new Map<string, string>()
  const lastResort = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  }
  /** A page that opens the same browser's store anew. */
  const open = () => createDrafts({ store, clock, lastResort })
  return { clock, store, kept, open, drafts: open() }
}

describe('a draft', () => {
  // R011
  test('is kept before any thread exists, 250 ms after the last change, and is there after a reload', async () => {
    const { clock, store, drafts, open } = setup()
    drafts.note(newThreadDraftKey, 'Wh')
    await clock.advance(draftSaveMs - 1)
    drafts.note(newThreadDraftKey, 'Why')
    await clock.advance(draftSaveMs - 1)
    expect(await store.draft(newThreadDraftKey)).toBeUndefined()
    await clock.advance(1)
    expect(await open().read(newThreadDraftKey)).toBe('Why')
  })

  test('of one box is none of another', async () => {
    const { clock, drafts, open } = setup()
    drafts.note('thread-a', 'for a')
    drafts.note('thread-b', 'for b')
    await clock.advance(draftSaveMs)
    expect(await open().read('thread-a')).toBe('for a')
    expect(await open().read('thread-b')).toBe('for b')
    expect(await open().read('thread-c')).toBe('')
  })

  test('that was emptied is gone', async () => {
    const { clock, store, drafts } = setup()
    drafts.note('new', 'x')
    await clock.advance(draftSaveMs)
    drafts.note('new', '')
    await clock.advance(draftSaveMs)
    expect(await store.draft('new')).toBeUndefined()
  })

  test('is safe when the page ends before the store could write', async () => {
    const { drafts, open, store } = setup({
      ...createMemoryStore(),
      putDraft: () => new Promise(() => undefined),
    })
    drafts.note('new', 'typed just now')
    drafts.flush()
    expect(await store.draft('new')).toBeUndefined()
    expect(await open().read('new')).toBe('typed just now')
  })

  test('of an older last resort does not come back over a newer one', async () => {
    const { clock, kept, drafts, open } = setup()
    drafts.note('new', 'first')
    drafts.flush()
    await settled()
    expect(kept.size).toBe(0)
    kept.set('mission_draft:new', JSON.stringify({ key: 'new', text: 'ancient', saved_at: 1 }))
    drafts.note('new', 'second')
    await clock.advance(draftSaveMs)
    expect(await open().read('new')).toBe('second')
  })

  test('never throws, however full or forbidden the stores are', async () => {
    const refuse = () => {
      throw new Error('quota')
    }
    const clock = createManualClock()
    const store = { ...createMemoryStore(), putDraft: () => Promise.reject(new Error('quota')) }
    const drafts = createDrafts({
      store,
      clock,
      lastResort: { getItem: refuse, setItem: refuse, removeItem: refuse },
    })
    drafts.note('new', 'x'.repeat(200_000))
    await clock.advance(draftSaveMs)
    drafts.note('new', 'y')
    drafts.flush()
    await settled()
    expect(await drafts.read('new')).toBe('')
  })

  test('that is taken is not saved again by a timer from before', async () => {
    const { clock, store, drafts } = setup()
    drafts.note('new', 'Wh')
    await clock.advance(draftSaveMs)
    drafts.note('new', 'Why')
    expect(drafts.take('new')).toEqual(['Wh', 'Why'])
    await clock.advance(draftSaveMs)
    expect(await store.draft('new')).toMatchObject({ text: 'Wh' })
    expect(clock.armed()).toBe(0)
  })
})
