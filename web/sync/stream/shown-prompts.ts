import { shownMax } from '../../../shared/observe.ts'
import type { ApiClient } from '../api-client.ts'
import type { PageClock } from '../clock.ts'

const gatherMs = 150

/**
 * Tells the stream whose text is wanted as it is written: the union of what the parts of the page show, those first
 * that were named last, 50 at most. A new stream knows nothing and is told at once.
 */
export interface ShownPrompts {
  /** Replaces what this part of the page shows; empty when it closes. */
  set(part: string, promptIds: readonly string[]): void
  streamIs(streamId: string): void
  stop(): void
}

export function createShownPrompts(deps: {
  api: Pick<ApiClient, 'setShown'>
  clock: PageClock
}): ShownPrompts {
  const parts = new Map<string, readonly string[]>()
  let streamId: string | undefined
  let told = ''
  let disarm: (() => void) | undefined

  function send() {
    disarm?.()
    disarm = undefined
    if (streamId === undefined) return
    const ids = [...new Set([...parts.values()].reverse().flat())].slice(0, shownMax)
    const telling = [...ids].sort().join()
    if (telling === told) return
    told = telling
    deps.api.setShown(streamId, ids).catch(() => {
      // The stream is gone, or will say so; the next one is told everything.
      told = '?'
    })
  }

  return {
    set(part, promptIds) {
      parts.delete(part)
      if (promptIds.length > 0) parts.set(part, promptIds)
      disarm ??= deps.clock.after(gatherMs, send)
    },
    streamIs(next) {
      streamId = next
      told = ''
      send()
    },
    stop: () => disarm?.(),
  }
}
