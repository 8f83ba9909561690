import type { PromptView } from '../../../shared/prompt-view.ts'
import { encodeCursor } from '../../store/events/cursor.ts'
import type { ChangePage, ChangeRow } from '../../store/events/read-changes.ts'

/** One prompt that changed, with the position in the events behind it. */
export interface Change {
  promptId: string
  cursor: string
  /** Null when the prompt cannot be seen any more. */
  view: PromptView | null
  /** The kinds of the events that were folded into it. */
  kinds: ReadonlySet<string>
  seenJobId: string | null
}

/**
 * A page of events folded to one change a prompt, in the order of each prompt's last event. A client that is cut off
 * behind a change can go on from its cursor and misses nothing: each event before it belongs to a prompt that was
 * delivered already, or to one whose last event is still to come.
 */
export function foldChanges(page: ChangePage, views: ReadonlyMap<string, PromptView>): Change[] {
  const byPrompt = new Map<string, { kinds: Set<string>; seenJobId: string | null; last: ChangeRow }>()
  for (const row of page.rows) {
    if (!row.prompt_id) continue
    const folded = byPrompt.get(row.prompt_id) ?? { kinds: new Set<string>(), seenJobId: null, last: row }
    byPrompt.delete(row.prompt_id)
    folded.kinds.add(row.kind)
    folded.last = row
    if (row.kind === 'prompt-seen') folded.seenJobId = row.job_id
    byPrompt.set(row.prompt_id, folded)
  }
  const { from, upto, cursor, hasMore } = page
  const changes = [...byPrompt].map(([promptId, { kinds, seenJobId, last }]): Change => {
    const behind = encodeCursor({ epoch: cursor.epoch, from, upto, tx: last.tx, seq: last.seq })
    return { promptId, cursor: behind, view: views.get(promptId) ?? null, kinds, seenJobId }
  })
  const final = changes.at(-1)
  if (final && !hasMore) final.cursor = encodeCursor(cursor)
  return changes
}
