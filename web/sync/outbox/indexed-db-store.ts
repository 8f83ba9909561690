import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import * as z from 'zod/mini'
import {
  createMemoryStore,
  type DraftRecord,
  draftRecord,
  type KeptStore,
  outboxEntry,
} from './kept-store.ts'

const databaseName = 'mission-field'

interface Kept extends DBSchema {
  outbox: { key: string; value: unknown }
  drafts: { key: string; value: DraftRecord }
}

/** Opens this browser's store; one in memory where the browser has none, or refuses it, as some private windows do. */
export async function openKeptStore(): Promise<KeptStore> {
  try {
    return storeOf(await openDatabase())
  } catch {
    return createMemoryStore()
  }
}

function openDatabase(): Promise<IDBPDatabase<Kept>> {
  return openDB<Kept>(databaseName, 1, {
    upgrade(database) {
      database.createObjectStore('outbox', { keyPath: 'prompt_id' })
      database.createObjectStore('drafts', { keyPath: 'key' })
    },
    // A newer page in another tab must not wait for this one.
    blocking: (_current, _blocked, event) => {
      if (event.target instanceof IDBDatabase) event.target.close()
    },
  })
}

function storeOf(database: IDBPDatabase<Kept>): KeptStore {
  return {
    isDurable: true,
    async entries() {
      const values = await database.getAll('outbox')
      return values
        .flatMap((value) => z.safeParse(outboxEntry, value).data ?? [])
        .sort((one, other) => one.created_at - other.created_at)
    },
    async putEntry(entry, draftTexts) {
      const transaction = database.transaction(['outbox', 'drafts'], 'readwrite')
      const drafts = transaction.objectStore('drafts')
      await transaction.objectStore('outbox').put(entry)
      const draft = await drafts.get(entry.draft_key)
      if (draft !== undefined && draftTexts.includes(draft.text)) await drafts.delete(entry.draft_key)
      await transaction.done
    },
    async removeEntry(promptId) {
      await database.delete('outbox', promptId)
    },
    async giveBack(promptId, draft) {
      const transaction = database.transaction(['outbox', 'drafts'], 'readwrite')
      const outbox = transaction.objectStore('outbox')
      const drafts = transaction.objectStore('drafts')
      const isThere = (await outbox.getKey(promptId)) !== undefined
      if (isThere) {
        await outbox.delete(promptId)
        if ((await drafts.getKey(draft.key)) === undefined) await drafts.put(draft)
      }
      await transaction.done
      return isThere
    },
    async draft(key) {
      return z.safeParse(draftRecord, await database.get('drafts', key)).data
    },
    async putDraft(draft) {
      await database.put('drafts', draft)
    },
    async removeDraft(key) {
      await database.delete('drafts', key)
    },
  }
}
