import { setTimeout as wait } from 'node:timers/promises'
import type { ScriptedAnswer, ScriptedServer } from '../../bff/adapters/testing/scripted-provider-server.ts'
import { whole } from '../../bff/adapters/testing/scripted-provider-server.ts'

/** When each prompt was put to the model server. */
export interface RecordedCalls {
  /** Whether calls are answered from now on, or held after their first word. */
  answers(answers: boolean): void
  count(): number
  /** Resolves once so many calls have come in all. */
  arrival(count: number): Promise<unknown>
  /** The prompts of all calls that were never answered; those of earlier questions are forgotten. */
  unanswered(): string[]
  /**
   * The moment of the first call with this prompt since `unanswered` named it, by this process's clock.
   *
   * @throws Error when it does not come in half a minute.
   */
  next(text: string): Promise<number>
}

/** Answers with `Answer to: <prompt>`, or holds, and remembers when who came. */
export function recordCalls(provider: ScriptedServer): RecordedCalls {
  let isAnswering = true
  const open = new Set<string>()
  const awaited = new Map<string, Moment>()

  provider.otherwise((answer: ScriptedAnswer) => {
    const text = answer.request.messages.at(-1)?.content ?? ''
    awaited.get(text)?.resolve(performance.now())
    if (isAnswering) {
      whole(`Answer to: ${text}`)(answer)
    } else {
      open.add(text)
      answer.delta('Answer')
    }
  })

  return {
    answers(answers) {
      isAnswering = answers
    },
    count: () => provider.requests.length,
    arrival: (count) => provider.arrival(count),
    unanswered() {
      const texts = [...open]
      open.clear()
      awaited.clear()
      for (const text of texts) awaited.set(text, futureMoment())
      return texts
    },
    next(text) {
      const moment = awaited.get(text)
      if (moment === undefined) throw new Error(`nobody waits for ${text}`)
      return Promise.race([moment.promise, tooLate(`nobody asked again: ${text}`)])
    },
  }
}

const againMsMax = 30_000

async function tooLate(complaint: string): Promise<never> {
  await wait(againMsMax, undefined, { ref: false })
  throw new Error(complaint)
}

interface Moment {
  promise: Promise<number>
  resolve(atMs: number): void
}

function futureMoment(): Moment {
  let resolve: Moment['resolve'] = () => {}
  const promise = new Promise<number>((settle) => {
    resolve = settle
  })
  return { promise, resolve: (atMs) => resolve(atMs) }
}
