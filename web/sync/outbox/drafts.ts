import * as z from 'zod/mini'
import type { PageClock } from '../clock.ts'
import { type DraftRecord, draftRecord, type KeptStore } from './kept-store.ts'

/** The box for a prompt that begins a thread: its draft is kept before any thread exists. */
export const newThreadDraftKey = 'new'

export const draftSaveMs = 250
/** The synchronous store is small, and writing to it holds the page up. */
const lastResortCharsMax = 100_000
const lastResortPrefix = 'mission_draft:'

/**
 * What is typed and not sent, per thread. Read once, when a box opens, and never pushed into one: what another tab
 * writes must not overwrite what is being typed here. A text that is submitted leaves with `take`, in the same
 * transaction that keeps it in the outbox.
 */
export interface Drafts {
  read(key: string): Promise<string>
  /** Every change of the box; saved 250 ms after the last one. Empty text removes the draft. */
  note(key: string, text: string): void
  /** The page is being hidden: saves at once, and where that may come too late, synchronously too. */
  flush(): void
  /** The draft is being submitted. @returns the texts under which it may have been saved */
  take(key: string): readonly string[]
}

export interface DraftsDeps {
  store: KeptStore
  clock: PageClock
  /** `localStorage`, where there is one. */
  lastResort?: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | undefined
}

export function createDrafts({ store, clock, lastResort }: DraftsDeps): Drafts {
  const unsaved = new Map<string, { draft: DraftRecord; disarm: () => void }>()
  /** Texts this page read or saved, newest last. */
  const known = new Map<string, string[]>()

  function remember(key: string, text: string) {
    known.set(key, [...(known.get(key) ?? []), text].slice(-3))
  }

  async function save(draft: DraftRecord) {
    unsaved.get(draft.key)?.disarm()
    unsaved.delete(draft.key)
    remember(draft.key, draft.text)
    try {
      if (draft.text === '') await store.removeDraft(draft.key)
      else await store.putDraft(draft)
      if (store.isDurable) dropLastResort(draft.key, draft.saved_at)
    } catch {
      saveAtOnce(draft)
    }
  }

  function saveAtOnce(draft: DraftRecord) {
    if (draft.text.length > lastResortCharsMax) return
    try {
      lastResort?.setItem(lastResortPrefix + draft.key, JSON.stringify(draft))
    } catch {
      // Full or forbidden: there is no further place to turn to.
    }
  }

  function readAtOnce(key: string): DraftRecord | undefined {
    try {
      const text = lastResort?.getItem(lastResortPrefix + key)
      return text ? z.safeParse(draftRecord, JSON.parse(text)).data : undefined
    } catch {
      return undefined
    }
  }

  function dropLastResort(key: string, upTo: number) {
    const kept = readAtOnce(key)
    if (kept === undefined || kept.saved_at > upTo) return
    try {
      lastResort?.removeItem(lastResortPrefix + key)
    } catch {
      // Older than what the store has, so it can do no harm.
    }
  }

  return {
    async read(key) {
      const waiting = unsaved.get(key)
      if (waiting !== undefined) return waiting.draft.text
      const stored = await store.draft(key).catch(() => undefined)
      const last = readAtOnce(key)
      const newest = last !== undefined && last.saved_at > (stored?.saved_at ?? 0) ? last : stored
      const text = newest?.text ?? ''
      remember(key, text)
      return text
    },
    note(key, text) {
      unsaved.get(key)?.disarm()
      const draft = { key, text, saved_at: clock.now() }
      unsaved.set(key, { draft, disarm: clock.after(draftSaveMs, () => void save(draft)) })
    },
    flush() {
      for (const { draft } of [...unsaved.values()]) {
        saveAtOnce(draft)
        void save(draft)
      }
    },
    take(key) {
      const waiting = unsaved.get(key)
      waiting?.disarm()
      unsaved.delete(key)
      dropLastResort(key, Number.POSITIVE_INFINITY)
      return [...(known.get(key) ?? []), ...(waiting ? [waiting.draft.text] : [])]
    },
  }
}
