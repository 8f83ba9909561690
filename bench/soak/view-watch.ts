import type { PromptView } from '../../shared/prompt-view.ts'

/** The newest view of each prompt that anybody told us of, and whoever waits for one to be as it should. */
export interface ViewWatch {
  take(view: PromptView): void
  latest(promptId: string): PromptView | undefined
  /** Resolves with the first view that is as `wanted` says, the present one included. */
  until(promptId: string, wanted: (view: PromptView) => boolean): Promise<PromptView>
}

interface Waiter {
  wanted: (view: PromptView) => boolean
  resolve: (view: PromptView) => void
}

export function createViewWatch(): ViewWatch {
  const views = new Map<string, PromptView>()
  const waiters = new Map<string, Waiter[]>()
  return {
    take(view) {
      const known = views.get(view.prompt_id)
      if (known && known.revision >= view.revision) return
      views.set(view.prompt_id, view)
      const waiting = waiters.get(view.prompt_id) ?? []
      waiters.set(
        view.prompt_id,
        waiting.filter((waiter) => !waiter.wanted(view)),
      )
      for (const waiter of waiting) if (waiter.wanted(view)) waiter.resolve(view)
    },
    latest: (promptId) => views.get(promptId),
    until(promptId, wanted) {
      const known = views.get(promptId)
      if (known && wanted(known)) return Promise.resolve(known)
      return new Promise((resolve) => {
        waiters.set(promptId, [...(waiters.get(promptId) ?? []), { wanted, resolve }])
      })
    },
  }
}
