import * as z from 'zod/mini'
import { type SubmitRequest, submitRequest } from '../../../shared/submit.ts'

/** A prompt on its way: what was asked, and what its drop needs until the server answers. */
export const outboxEntry = z.object({
  prompt_id: z.string(),
  request: submitRequest,
  parent_id: z.nullable(z.string()),
  thread_id: z.string(),
  thread_title: z.string(),
  draft_key: z.string(),
  /** Who wrote it; nobody else's session sends it. Null if that was not known yet. */
  person_id: z.nullable(z.string()),
  /** Epoch milliseconds by this browser's clock. */
  created_at: z.number(),
})
export type OutboxEntry = z.infer<typeof outboxEntry> & { readonly request: SubmitRequest }

export const draftRecord = z.object({ key: z.string(), text: z.string(), saved_at: z.number() })
export type DraftRecord = z.infer<typeof draftRecord>

/**
 * What this browser keeps for itself until the server has it. A text is always in one of the two places: taking it
 * from the drafts into the outbox, and giving it back, are one transaction each.
 */
export interface KeptStore {
  /** Whether it outlives the page. */
  readonly isDurable: boolean
  entries(): Promise<OutboxEntry[]>
  /** Adds the entry, and removes the draft it was written in if that is one of `draftTexts`. */
  putEntry(entry: OutboxEntry, draftTexts: readonly string[]): Promise<void>
  removeEntry(promptId: string): Promise<void>
  /** Removes the entry; its text becomes the draft again unless another was written since. False: it was gone already. */
  giveBack(promptId: string, draft: DraftRecord): Promise<boolean>
  draft(key: string): Promise<DraftRecord | undefined>
  putDraft(draft: DraftRecord): Promise<void>
  removeDraft(key: string): Promise<void>
}

/** For browsers that keep nothing, and for tests: as good as the page lives long. */
export function createMemoryStore(): KeptStore {
  const entries = new Map<string, OutboxEntry>()
  const drafts = new Map<string, DraftRecord>()
  return {
    isDurable: false,
    entries: async () => [...entries.values()],
    async putEntry(entry, draftTexts) {
      entries.set(entry.prompt_id, entry)
      const draft = drafts.get(entry.draft_key)
      if (draft !== undefined && draftTexts.includes(draft.text)) drafts.delete(entry.draft_key)
    },
    async removeEntry(promptId) {
      entries.delete(promptId)
    },
    async giveBack(promptId, draft) {
      if (!entries.delete(promptId)) return false
      if (!drafts.has(draft.key)) drafts.set(draft.key, draft)
      return true
    },
    draft: async (key) => drafts.get(key),
    async putDraft(draft) {
      drafts.set(draft.key, draft)
    },
    async removeDraft(key) {
      drafts.delete(key)
    },
  }
}

/** A store that is still being opened: calls wait for it. Counts as not durable until it is there. */
export function createDeferredStore(opening: Promise<KeptStore>): KeptStore {
  let opened: KeptStore | undefined
  void opening.then((store) => {
    opened = store
  })
  return {
    get isDurable() {
      return opened?.isDurable ?? false
    },
    entries: async () => (await opening).entries(),
    putEntry: async (entry, draftTexts) => (await opening).putEntry(entry, draftTexts),
    removeEntry: async (promptId) => (await opening).removeEntry(promptId),
    giveBack: async (promptId, draft) => (await opening).giveBack(promptId, draft),
    draft: async (key) => (await opening).draft(key),
    putDraft: async (draft) => (await opening).putDraft(draft),
    removeDraft: async (key) => (await opening).removeDraft(key),
  }
}
