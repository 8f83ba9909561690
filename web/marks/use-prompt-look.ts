import type { PromptView } from '../../shared/prompt-view.ts'
import { useLiveText, useSendState, useWaitReason } from '../sync/hooks.ts'
import { useSync } from '../sync/sync-context.tsx'
import { type Look, lookOf } from './look-of.ts'
import { type LinePart, promptLine } from './prompt-line.ts'
import { shortTitle } from './short-title.ts'
import type { Reading } from './time-text.ts'

export interface PromptLook {
  readonly look: Look
  /** The line below its title. */
  readonly line: readonly LinePart[]
  /** What its running attempt has written; undefined unless it runs. */
  readonly live: { readonly text: string; readonly tokens: number } | undefined
}

/** How a prompt is drawn at this moment: its row, joined with outbox, gates, queue and the words that arrive. */
export function usePromptLook(view: PromptView, reading: Reading): PromptLook {
  const { state } = useSync()
  const written = useLiveText(view.prompt_id)
  const live = view.state === 'running' ? written : undefined
  const unsent = useSendState(view.prompt_id) === 'unsent'
  const waitReason = useWaitReason(view, reading.nowMs)
  const look = lookOf(view, { nowMs: reading.nowMs, unsent, waitReason })
  const titleOf = (promptId: string) => {
    const other = state.view(promptId)
    return other === undefined ? undefined : shortTitle(other.text_excerpt)
  }
  const line = promptLine(view, look, {
    ...reading,
    unsent,
    waitReason,
    titleOf,
    liveTokens: live === undefined || live.tokens === 0 ? undefined : live.tokens,
  })
  return { look, line, live }
}
