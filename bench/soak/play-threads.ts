import type { MissionClient } from './mission-client.ts'
import { type PlayedPrompt, playPrompt } from './play-prompt.ts'
import type { PlannedPrompt } from './soak-plan.ts'
import type { ViewWatch } from './view-watch.ts'

export interface ThreadsInPlay {
  readonly played: readonly PlayedPrompt[]
  /** What went otherwise than it has to. */
  readonly broken: readonly string[]
  /** Resolves when every prompt has come to its end, or to one it should not have. */
  readonly done: Promise<void>
}

/**
 * Plays all threads, `window` of them at once and in the order of the plan.
 *
 * @param onSettled hears how many prompts have come to their end so far.
 */
export function playThreads(
  threads: readonly PlannedPrompt[][],
  window: number,
  client: MissionClient,
  watch: ViewWatch,
  onSettled: (count: number) => void,
): ThreadsInPlay {
  const broken: string[] = []
  const followers = new Map(
    threads.flat().flatMap((plan) => (plan.parentId === null ? [] : [[plan.parentId, plan] as const])),
  )
  const played = threads.flat().map(
    (plan): PlayedPrompt => ({
      plan,
      jobId: null,
      cancelledJobId: null,
      cancelRefused: false,
      retriedAfterCrash: 0,
      settled: false,
    }),
  )
  const byId = new Map(played.map((prompt) => [prompt.plan.id, prompt]))
  const stage = {
    client,
    watch,
    // Every answer to a submit is taken as a view, so that the first view is the acceptance.
    accepted: async (promptId: string) => void (await watch.until(promptId, () => true)),
    followerOf: (promptId: string) => followers.get(promptId),
    broke: (what: string) => void broken.push(what),
  }

  let settled = 0
  const play = async ({ id }: PlannedPrompt): Promise<void> => {
    const prompt = byId.get(id)
    if (!prompt) return
    try {
      await playPrompt(prompt, stage)
    } catch (error) {
      broken.push(error instanceof Error ? error.message : String(error))
    }
    settled += 1
    onSettled(settled)
  }

  const waiting = [...threads]
  const lane = async (): Promise<void> => {
    for (let thread = waiting.shift(); thread; thread = waiting.shift()) await Promise.all(thread.map(play))
  }
  return { played, broken, done: Promise.all(Array.from({ length: window }, lane)).then(() => {}) }
}
