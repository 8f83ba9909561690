import type { Execution } from '../execution/context.ts'
import { endSession, findSession, onSessionsEnded, type SignedIn } from '../execution/sessions.ts'

export const rememberedMs = 5_000
const rememberedMax = 1_000

/** Sessions by their token. */
export interface Sessions {
  find(token: string): Promise<SignedIn | null>
  end(token: string): Promise<void>
}

/**
 * Looking a session up costs a statement, on the embedded database as much as a third of a submit, so requests that
 * come together share one, and a found session is remembered for a moment. Its expiry is checked at every use; one
 * that ends is forgotten at once, in whichever process it ended, and all are when word of others may have been missed.
 * Tokens that stand for nobody are not remembered.
 */
export function rememberedSessions(execution: Execution): Sessions {
  const { clock } = execution
  const known = new Map<string, { found: Promise<SignedIn | null>; untilMs: number }>()

  const look = (token: string): Promise<SignedIn | null> => {
    const found = findSession(execution, token)
    const entry = { found, untilMs: clock.now().getTime() + rememberedMs }
    const forget = () => {
      if (known.get(token) === entry) known.delete(token)
    }
    if (known.size >= rememberedMax) known.clear()
    known.set(token, entry)
    found.then((signedIn) => signedIn ?? forget(), forget)
    return found
  }

  onSessionsEnded(execution, {
    onEnded(isEnded) {
      for (const token of [...known.keys()]) if (isEnded(token)) known.delete(token)
    },
    onMissed: () => known.clear(),
  })

  return {
    async find(token) {
      const nowMs = clock.now().getTime()
      const entry = known.get(token)
      const signedIn = await (entry && entry.untilMs > nowMs ? entry.found : look(token))
      return signedIn && signedIn.expiresAt.getTime() > nowMs ? signedIn : null
    },
    end: (token) => endSession(execution, token),
  }
}
