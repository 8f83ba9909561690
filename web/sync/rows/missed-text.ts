import type { ApiClient } from '../api-client.ts'
import type { PageClock } from '../clock.ts'
import type { ServerState } from './server-state.ts'

/** The draft on the server is appended once a second: asking more often only brings the same. */
const spacingMs = 1_000

/** Reads the draft so far of prompts whose text was missed, once at a time each. */
export interface MissedText {
  read(promptId: string): void
  stop(): void
}

export function createMissedText(deps: {
  api: Pick<ApiClient, 'readPrompt'>
  clock: PageClock
  state: () => ServerState
}): MissedText {
  const aborter = new AbortController()
  const waits = new Map<string, () => void>()

  async function read(promptId: string) {
    try {
      deps.state().applyDetail(await deps.api.readPrompt(promptId, aborter.signal))
    } catch {
      // The next delta finds the gap again.
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
    },
    stop() {
      aborter.abort(new Error('the page is done'))
      for (const disarm of waits.values()) disarm()
    },
  }
}
