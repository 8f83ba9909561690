import type { Database } from '../../store/database/database.ts'
import { cancelPrompt } from '../cancel-prompt.ts'
import type { ExecutionSettings } from '../context.ts'
import { readPrompt } from '../observe/read-prompt.ts'
import { retryPrompt } from '../retry-prompt.ts'
import { submitPrompt } from '../submit-prompt.ts'
import { testExecution } from './test-execution.ts'

/** One person who asks, and what a test of threads does over and over. */
export async function threadTest(database: Database, settings: Partial<ExecutionSettings> = {}) {
  const test = testExecution(database, settings)
  const { execution, provider, worker, clock } = test
  const me = await test.person()
  const claimed = async () => {
    const index = provider.calls.length
    await worker.claimOnce()
    return provider.call(index)
  }
  return {
    ...test,
    me,
    claimed,
    submit: async (
      text: string,
      more: { parent_id?: string; options?: { priority?: number; scheduled_for?: string } } = {},
    ) => {
      clock.advance(10)
      return (await submitPrompt(execution, me, { text, ...more })).prompt_id
    },
    answer: async (text: string) => {
      ;(await claimed()).answer(text)
      await worker.idle()
    },
    view: async (id: string) => (await readPrompt(execution, me, id)).view,
    retry: (id: string) => retryPrompt(execution, me, id),
    cancel: (id: string) => cancelPrompt(execution, me, id),
    /** An ISO 8601 time so many ms from now. */
    inMs: (ms: number) => new Date(clock.now().getTime() + ms).toISOString(),
  }
}

export type ThreadTest = Awaited<ReturnType<typeof threadTest>>
