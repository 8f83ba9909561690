import type { Execution } from '../execution/context.ts'
import { onSessionsEnded } from '../execution/sessions.ts'
import type { OpenStreams } from './open-streams.ts'
import type { Sessions } from './remembered-sessions.ts'

/**
 * Ends the streams of a session with it, in whichever process somebody signed out. Where word of that may have been
 * missed, every session that has a stream is looked up again.
 *
 * @param sessions made before: it forgets first what is looked up here.
 */
export function endStreamsWithSessions(execution: Execution, sessions: Sessions, streams: OpenStreams): void {
  const endUnlessSignedIn = async (token: string): Promise<void> => {
    try {
      if ((await sessions.find(token)) === null) streams.endOf(token)
    } catch (error) {
      execution.log.warn({ err: error }, 'whether a session has ended could not be looked up')
    }
  }
  onSessionsEnded(execution, {
    onEnded(isEnded) {
      for (const token of streams.sessions()) if (isEnded(token)) streams.endOf(token)
    },
    onMissed() {
      for (const token of streams.sessions()) void endUnlessSignedIn(token)
    },
  })
}
