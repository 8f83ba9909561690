import type { ResponseDelta } from '../../../shared/change.ts'
import type { LiveDraft } from '../attempt/live-drafts.ts'
import type { Execution, Scope } from '../context.ts'

const everyMs = 250

/** What one stream has been sent of one run. */
interface Sent {
  run: number
  chars: number
  seq: number
  /** Whether the draft so far was sent, after which contiguous deltas follow. */
  whole: boolean
}

/**
 * The deltas of one stream: gathered to four a second; whole text for the prompts it shows, token counts for the rest.
 * A prompt that comes into view gets the draft so far first, then contiguous deltas.
 */
export interface DeltaTap {
  open(): void
  setShown(promptIds: readonly string[]): void
  close(): void
}

export function createDeltaTap(
  execution: Pick<Execution, 'clock' | 'liveDrafts'>,
  scope: Scope,
  push: (delta: ResponseDelta) => void,
): DeltaTap {
  const { clock, liveDrafts } = execution
  const sent = new Map<string, Sent>()
  const dirty = new Set<LiveDraft>()
  let shown = new Set<string>()
  let disarm: (() => void) | null = null
  let unsubscribe = (): void => {}

  const flush = (): void => {
    disarm = null
    for (const draft of dirty) push(deltaOf(draft))
    dirty.clear()
  }

  const deltaOf = (draft: LiveDraft): ResponseDelta => {
    const before = sent.get(draft.jobId)
    const known = before?.run === draft.run ? before : { run: draft.run, chars: 0, seq: -1, whole: false }
    const wantsText = shown.has(draft.promptId)
    const end = wholeLength(draft.text)
    // One of another process may be shorter for a moment, while it is told anew.
    const text = wantsText ? draft.text.slice(known.whole ? known.chars : 0, end) : ''
    const first = wantsText && !known.whole
    sent.set(draft.jobId, {
      run: draft.run,
      chars: first ? end : wantsText ? Math.max(known.chars, end) : known.chars,
      seq: known.seq + 1,
      whole: wantsText,
    })
    const { promptId, jobId, attempt, run, tokens } = draft
    return {
      prompt_id: promptId,
      job_id: jobId,
      attempt,
      run,
      seq: known.seq + 1,
      text,
      whole: first,
      tokens,
    }
  }

  const mark = (draft: LiveDraft): void => {
    if (draft.orgId !== scope.orgId || draft.owner !== scope.personId) return
    dirty.add(draft)
    disarm ??= clock.at(new Date(clock.now().getTime() + everyMs), flush)
  }

  return {
    open() {
      unsubscribe = liveDrafts.subscribe(mark)
      for (const draft of liveDrafts.of(scope)) mark(draft)
    },
    setShown(promptIds) {
      shown = new Set(promptIds)
      for (const draft of liveDrafts.of(scope)) if (shown.has(draft.promptId)) mark(draft)
    },
    close() {
      unsubscribe()
      disarm?.()
      disarm = null
      dirty.clear()
    },
  }
}

/** Without the first half of a character outside the basic plane, whose second half has not arrived. */
function wholeLength(text: string): number {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff ? text.length - 1 : text.length
}
