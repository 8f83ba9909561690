import type { ApiClient } from './api-client.ts'
import { isDefiniteRefusal } from './api-error.ts'
import type { PageClock } from './clock.ts'
import type { ServerState } from './rows/server-state.ts'

const gatherMs = 250
const marksMax = 1_000

/**
 * Marks answers as seen: here at once, on the server a moment later and many at a time. A mark that did not arrive
 * is sent again with the next, or by `sendAgain`: it can only repeat what is already so.
 */
export interface SeenMarks {
  mark(promptIds: Iterable<string>): void
  sendAgain(): void
  stop(): void
}

export function createSeenMarks(deps: {
  api: Pick<ApiClient, 'markSeen'>
  clock: PageClock
  state: ServerState
}): SeenMarks {
  const { clock, state } = deps
  const waiting = new Map<string, string>()
  let disarm: (() => void) | undefined

  function arm() {
    if (waiting.size > 0) disarm ??= clock.after(gatherMs, () => void send())
  }

  async function send() {
    disarm = undefined
    const marks = [...waiting].slice(0, marksMax)
    for (const [promptId] of marks) waiting.delete(promptId)
    try {
      await deps.api.markSeen(marks.map(([prompt_id, job_id]) => ({ prompt_id, job_id })))
    } catch (error) {
      if (isDefiniteRefusal(error)) return
      for (const [promptId, jobId] of marks) if (!waiting.has(promptId)) waiting.set(promptId, jobId)
      return
    }
    arm()
  }

  return {
    mark(promptIds) {
      const marks = [...promptIds].flatMap((promptId) => {
        const view = state.view(promptId)
        // Only what is settled can have been seen, and only what the server knows can be marked there.
        if (view === undefined || view.seen || view.revision < 0 || view.finished_at === null) return []
        return [{ promptId, jobId: view.job_id }]
      })
      for (const { promptId, jobId } of marks) waiting.set(promptId, jobId)
      state.apply(marks.map((mark) => ({ kind: 'seen', ...mark })))
      arm()
    },
    sendAgain: arm,
    stop: () => disarm?.(),
  }
}
