import type { LiveDrafts } from '../attempt/live-drafts.ts'
import { readMessage } from './draft-messages.ts'
import { createDraftReceiver, type ReceiverParts } from './receive-drafts.ts'
import { createDraftSender } from './send-drafts.ts'

/** Carries the text of running attempts between this process and the others. */
export interface DraftRelay {
  close(): Promise<void>
}

/**
 * Text that a worker receives is shown by the streams of every server. It travels as messages beside the signals and is
 * stored by nobody here: what is lost is asked for again, and the draft in the database and the answer do not depend on
 * it.
 */
export function relayDrafts(parts: ReceiverParts & { liveDrafts: LiveDrafts }): DraftRelay {
  const sender = createDraftSender(parts)
  const receiver = createDraftReceiver(parts)
  parts.liveDrafts.carriedBy({
    onGrowth: (draft) => !draft.remote && sender.onGrowth(draft),
    onEnd: (draft) => !draft.remote && sender.onEnd(draft),
    onWatched: receiver.onWatched,
  })
  const leave = parts.broadcast.hear({
    onMessage(from, text) {
      const message = readMessage(text)
      if (message === null) return
      sender.onMessage(from, message)
      receiver.onMessage(message)
    },
    onGap() {
      sender.onGap()
      receiver.onGap()
    },
  })
  return {
    async close() {
      leave()
      await Promise.all([sender.close(), receiver.close()])
    },
  }
}
