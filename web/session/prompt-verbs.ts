import { useMemo } from 'react'
import { errorSentence } from '../sync/api-error.ts'
import { useSync } from '../sync/sync-context.tsx'
import { useNotices } from './notice-store.ts'

/** What a person can do to a prompt from wherever it is shown. A refusal is said as a notice, in a sentence. */
export interface PromptVerbs {
  readonly retry: (promptId: string) => void
  /** Ends its job, running or waiting; gives up a prompt that was not sent yet. */
  readonly stop: (promptId: string) => void
  /** Runs it without the prompt that it waits for. */
  readonly release: (promptId: string) => void
  /** Sends everything that is unsent once more. */
  readonly sendAgain: () => void
}

export function usePromptVerbs(): PromptVerbs {
  const { actions, outbox } = useSync()
  return useMemo(() => {
    const sayRefusal = (what: string) => (error: unknown) => {
      useNotices.getState().say(`${what}: ${errorSentence(error)}`, { tone: 'trouble' })
    }
    return {
      retry: (promptId) => void actions.retry(promptId).catch(sayRefusal('Not retried')),
      stop: (promptId) => void actions.cancel(promptId).catch(sayRefusal('Not stopped')),
      release: (promptId) => void actions.release(promptId).catch(sayRefusal('Not released')),
      sendAgain: () => outbox.sendAll(),
    }
  }, [actions, outbox])
}
