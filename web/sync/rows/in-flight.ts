import type { PromptView } from '../../../shared/prompt-view.ts'

/** Whether there is something to poll for, and when the next such thing begins, in epoch milliseconds. */
export interface InFlight {
  readonly now: boolean
  readonly nextAtMs: number | null
}

/** A schedule within this time is as good as running. */
export const scheduledSoonMs = 60_000

/**
 * What may change while nobody here does anything: what runs, and what waits for its turn. A prompt scheduled for
 * later gets one look at its time, a held one none: it moves only when a person acts. `views` are those of prompts
 * that wait or run; undefined stands for one whose view was not read yet, which may be anything.
 */
export function inFlight(views: Iterable<PromptView | undefined>, nowMs: number): InFlight {
  let now = false
  let nextAtMs: number | null = null
  for (const view of views) {
    const at = movesAtMs(view, nowMs)
    if (at === null) continue
    if (at <= nowMs + scheduledSoonMs) now = true
    else nextAtMs = nextAtMs === null ? at : Math.min(nextAtMs, at)
  }
  return { now, nextAtMs }
}

/** @returns null for a prompt that does not move by itself */
function movesAtMs(view: PromptView | undefined, nowMs: number): number | null {
  if (view === undefined || view.state === 'running') return nowMs
  if (view.state !== 'queued') return null
  switch (view.wait_reason?.code) {
    case 'held':
      return null
    case 'scheduled':
      return Date.parse(view.wait_reason.at)
    default:
      return nowMs
  }
}
