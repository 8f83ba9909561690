import type { ApiClient } from '../api-client.ts'
import type { PageClock } from '../clock.ts'
import type { ServerState } from './server-state.ts'

/** Should it happen again and again, the text comes in steps of this length. */
const spacingMs = 5_000

/**
 * Repairs a hole in a text that streams: reads the draft so far, and lets the stream be opened anew, which begins
 * with all of the text. A stream has no holes of itself, so this is for what should not happen.
 */
export interface MissedText {
  read(promptId: string): void
  stop(): void
}

export function createMissedText(deps: {
  api: Pick<ApiClient, 'readPrompt'>
  clock: PageClock
  state: () => ServerState
  reopenStream: () => void
}): MissedText {
  const aborter = new AbortController()
  const waits = new Map<string, () => void>()

  async function read(promptId: string) {
    try {
      deps.state().applyDetail(await deps.api.readPrompt(promptId, aborter.signal))
    } catch {
      // The stream, once it is back, begins with all of it.
    }
  }

  return {
    read(promptId) {
      if (waits.has(promptId) || aborter.signal.aborted) return
      waits.set(
        promptId,
        deps.clock.after(spacingMs, () => waits.delete(promptId)),
      )
      void read(promptId)
      deps.reopenStream()
    },
    stop() {
      aborter.abort(new Error('the page is done'))
      for (const disarm of waits.values()) disarm()
    },
  }
}
