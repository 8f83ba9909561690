import { IDBFactory } from 'fake-indexeddb'
import 'fake-indexeddb/auto'
import { beforeEach, describe, expect, test } from 'vitest'
import { makeEntry } from '../testing/make-entry.ts'
import { idOf } from '../testing/make-view.ts'
import { openKeptStore } from './indexed-db-store.ts'
import { createDeferredStore, createMemoryStore } from './kept-store.ts'

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory()
})

const draft = (text: string, key = 'new') => ({ key, text, saved_at: 1 })

const stores = [
  ['in the browser', openKeptStore],
  ['in memory', async () => createMemoryStore()],
  ['still being opened', async () => createDeferredStore(openKeptStore())],
] as const

describe.for(stores)('a store %s', ([, open]) => {
  test('keeps entries and drafts until they are removed', async () => {
    const store = await open()
    await store.putEntry(makeEntry(1), [])
    await store.putDraft(draft('half'))
    expect(await store.entries()).toEqual([makeEntry(1)])
    expect(await store.draft('new')).toEqual(draft('half'))
    await store.removeEntry(idOf(1))
    await store.removeDraft('new')
    expect(await store.entries()).toEqual([])
    expect(await store.draft('new')).toBeUndefined()
  })

  test('takes a draft away with the entry it became, but not one that says something else', async () => {
    const store = await open()
    await store.putDraft(draft('text 1'))
    await store.putEntry(makeEntry(1), ['text', 'text 1'])
    expect(await store.draft('new')).toBeUndefined()
    await store.putDraft(draft('from another tab'))
    await store.putEntry(makeEntry(2), ['text 2'])
    expect(await store.draft('new')).toMatchObject({ text: 'from another tab' })
  })

  test('gives a text back to its draft once, and never over what was written since', async () => {
    const store = await open()
    await store.putEntry(makeEntry(1), [])
    expect(await store.giveBack(idOf(1), draft('text 1'))).toBe(true)
    expect(await store.draft('new')).toMatchObject({ text: 'text 1' })
    expect(await store.giveBack(idOf(1), draft('text 1'))).toBe(false)
    await store.putEntry(makeEntry(2), [])
    await store.giveBack(idOf(2), draft('text 2'))
    expect(await store.draft('new')).toMatchObject({ text: 'text 1' })
    expect(await store.entries()).toEqual([])
  })
})

test('what is kept in the browser is there when it is opened again, oldest entry first', async () => {
  const store = await openKeptStore()
  expect(store.isDurable).toBe(true)
  await store.putEntry(makeEntry(1, { created_at: 20 }), [])
  await store.putEntry(makeEntry(2, { created_at: 10 }), [])
  const again = await openKeptStore()
  expect((await again.entries()).map((entry) => entry.prompt_id)).toEqual([idOf(2), idOf(1)])
})

test('a browser that refuses a store gets one in memory, which says so', async () => {
  Object.defineProperty(globalThis, 'indexedDB', { value: undefined, configurable: true, writable: true })
  const store = await openKeptStore()
  expect(store.isDurable).toBe(false)
  await store.putEntry(makeEntry(1), [])
  expect(await store.entries()).toHaveLength(1)
})
