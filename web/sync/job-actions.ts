import type { ApiClient } from './api-client.ts'
import { ApiProblem, Offline } from './api-error.ts'
import type { Outbox } from './outbox/outbox.ts'
import type { ServerState } from './rows/server-state.ts'

/**
 * What a person does to a prompt's job. Nothing is shown before the server said so: a retry that lost a race, or a
 * cancel that came too late, would show a state that never was. Each rejects with the error of its call.
 */
export interface JobActions {
  /** @returns the id of the new job */
  retry(promptId: string): Promise<string>
  /** Ends the job; a prompt that is still on its way is given up instead. */
  cancel(promptId: string): Promise<void>
  /** A follower runs without the prompt that it waits for. */
  release(promptId: string): Promise<void>
  deletePrompt(promptId: string): Promise<void>
  /** All prompts of a thread. */
  deleteThread(threadId: string): Promise<void>
  /** The server said that these were deleted, before the feed did. */
  noteDeleted(promptIds: readonly string[]): void
}

export function createJobActions(deps: {
  api: Pick<
    ApiClient,
    'retryPrompt' | 'cancelPrompt' | 'releasePrompt' | 'deletePrompt' | 'deleteThread' | 'readViews'
  >
  state: ServerState
  outbox: Outbox
}): JobActions {
  const { api, state, outbox } = deps

  /** A refusal by the job's state means that this page shows an older one. */
  async function catchUp(promptId: string, error: unknown) {
    if (!(error instanceof ApiProblem) || error.code !== 'state_conflict') return
    const { views } = await api.readViews([promptId])
    state.apply(views.map((view) => ({ kind: 'view', view })))
  }

  function noteDeleted(promptIds: readonly string[]) {
    state.apply(promptIds.map((promptId) => ({ kind: 'deleted', promptId })))
  }

  return {
    noteDeleted,
    async release(promptId) {
      try {
        const { view } = await api.releasePrompt(promptId)
        state.apply([{ kind: 'view', view }])
      } catch (error) {
        await catchUp(promptId, error).catch(() => undefined)
        throw error
      }
    },
    async deletePrompt(promptId) {
      try {
        await api.deletePrompt(promptId)
      } catch (error) {
        await catchUp(promptId, error).catch(() => undefined)
        throw error
      }
      noteDeleted([promptId])
    },
    async deleteThread(threadId) {
      await api.deleteThread(threadId)
      // What was submitted meanwhile and is not in the answer is the feed's to tell.
      noteDeleted(state.layout.idsOfThread(threadId).filter((id) => outbox.entry(id) === undefined))
    },
    async retry(promptId) {
      try {
        const { view, job_id } = await api.retryPrompt(promptId)
        state.apply([{ kind: 'view', view }])
        return job_id
      } catch (error) {
        await catchUp(promptId, error).catch(() => undefined)
        throw error
      }
    },
    async cancel(promptId) {
      const wasPending = outbox.entry(promptId) !== undefined
      if (wasPending) await outbox.withdraw(promptId)
      try {
        const { view } = await api.cancelPrompt(promptId)
        state.apply([{ kind: 'view', view }])
      } catch (error) {
        // It never arrived, or nobody can say: if it did, the feed will bring it back, to be cancelled then.
        const isGivenUp = error instanceof Offline || (error instanceof ApiProblem && error.status === 404)
        if (wasPending && isGivenUp) return
        await catchUp(promptId, error).catch(() => undefined)
        throw error
      }
    },
  }
}
