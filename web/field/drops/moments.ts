import { create } from 'zustand'
import type { PromptView } from '../../../shared/prompt-view.ts'

/** What has just happened to a drop: played once, on screen only, and then forgotten. */
export type Moment = 'dropped' | 'settled' | 'failed'

interface MomentStore {
  readonly moments: ReadonlyMap<string, Moment>
  play(promptId: string, moment: Moment): void
}

const playedMs = 700

export const useMoments = create<MomentStore>()((set) => ({
  moments: new Map(),
  play(promptId, moment) {
    set(({ moments }) => ({ moments: new Map(moments).set(promptId, moment) }))
    setTimeout(() => {
      set(({ moments }) => {
        const rest = new Map(moments)
        rest.delete(promptId)
        return { moments: rest }
      })
    }, playedMs)
  },
}))

/** Which moment a change of a prompt is, if any. What was not seen alive before has no moment now. */
export function momentOf(before: PromptView | undefined, after: PromptView): Moment | null {
  if (before === undefined || before.state === after.state) return null
  if (after.state === 'succeeded') return 'settled'
  return after.state === 'failed' ? 'failed' : null
}
