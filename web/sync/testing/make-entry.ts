import type { OutboxEntry } from '../outbox/kept-store.ts'
import { idOf } from './make-view.ts'

export function makeEntry(number: number, over: Partial<OutboxEntry> = {}): OutboxEntry {
  return {
    prompt_id: idOf(number),
    request: { prompt_id: idOf(number), text: `text ${number}` },
    parent_id: null,
    thread_id: idOf(number),
    thread_title: `text ${number}`,
    draft_key: 'new',
    person_id: idOf(0xaaa),
    created_at: Date.parse('2026-03-01T09:00:00.000Z'),
    ...over,
  }
}
