import { viewsMax } from '../../../shared/observe.ts'
import type { PromptView } from '../../../shared/prompt-view.ts'
import type { ApiClient } from '../api-client.ts'
import type { PageClock } from '../clock.ts'
import type { ServerState } from './server-state.ts'

/** What is on screen is asked for in few, large requests: wants are gathered this long. */
const gatherMs = 16

/**
 * Reads the views of prompts that are known by their place only, or known to have changed since. A want that could
 * not be met is kept, and asked again with the next one or by `askAgain`.
 */
export interface ViewRequests {
  want(promptIds: Iterable<string>): void
  /** The server may be back. */
  askAgain(): void
  stop(): void
}

export interface ViewRequestsDeps {
  api: Pick<ApiClient, 'readViews'>
  clock: PageClock
  state: ServerState
  /** Prompts the server need not know yet. */
  isPending: (promptId: string) => boolean
}

export function createViewRequests({ api, clock, state, isPending }: ViewRequestsDeps): ViewRequests {
  const wanted = new Set<string>()
  const asked = new Set<string>()
  const aborter = new AbortController()
  let disarm: (() => void) | undefined

  function isFresh(promptId: string): boolean {
    const view = state.view(promptId)
    return view !== undefined && view.revision >= (state.states.get(promptId)?.revision ?? 0)
  }

  function arm() {
    disarm ??= clock.after(gatherMs, send)
  }

  function send() {
    disarm = undefined
    const ids = [...wanted].filter((id) => !asked.has(id))
    for (let from = 0; from < ids.length; from += viewsMax) void ask(ids.slice(from, from + viewsMax))
  }

  async function ask(ids: readonly string[]) {
    for (const id of ids) asked.add(id)
    try {
      const { views } = await api.readViews(ids, aborter.signal)
      for (const id of ids) wanted.delete(id)
      state.apply(views.map((view: PromptView) => ({ kind: 'view', view })))
      const answered = new Set(views.map((view) => view.prompt_id))
      for (const id of ids) if (!answered.has(id) && !isPending(id)) state.remove(id)
    } catch {
      // They stay wanted. Whether the server is there, and since when, is the feed's to say.
    } finally {
      for (const id of ids) asked.delete(id)
    }
  }

  return {
    want(promptIds) {
      for (const id of promptIds) if (!isFresh(id) && !isPending(id)) wanted.add(id)
      if (wanted.size > 0) arm()
    },
    askAgain() {
      if (wanted.size > 0) arm()
    },
    stop() {
      disarm?.()
      aborter.abort(new Error('the page is done'))
    },
  }
}
