import { sql } from 'drizzle-orm'
import { v7 as uuidV7 } from 'uuid'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../store/testing/test-database.ts'
import { readPrompt } from './read-prompt.ts'
import { submitPrompt } from './submit-prompt.ts'
import { testExecution } from './testing/test-execution.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

describe('submit', () => {
  it('is answered with a queued view and runs to an answer', async () => {
    const { execution, worker, provider, person } = testExecution(db.database)
    const me = await person()
    const accepted = await submitPrompt(execution, me, { text: 'Hello there' })
    expect(accepted.view).toMatchObject({
      state: 'queued',
      text_excerpt: 'Hello there',
      wait_reason: { code: 'in_line' },
    })
    await worker.claimOnce()
    const call = await provider.call(0)
    expect(call.request.turns).toEqual([{ role: 'user', text: 'Hello there' }])
    call.answer('Hi', { requestId: 'r1', outputTokens: 3 })
    await worker.idle()
    const detail = await readPrompt(execution, me, accepted.prompt_id)
    expect(detail.answer?.text).toBe('Hi')
    expect(detail.view).toMatchObject({ state: 'succeeded', tokens: 3, error_kind: null, attempt: 1 })
  })

  // R013
  it('of the same id answers the same ids, and refuses other content', async () => {
    const { execution, person } = testExecution(db.database)
    const me = await person()
    const request = { prompt_id: uuidV7(), text: 'Once' }
    const answers = await Promise.all(Array.from({ length: 20 }, () => submitPrompt(execution, me, request)))
    const later = await submitPrompt(execution, me, request)
    expect(new Set([...answers, later].map((answer) => answer.job_id)).size).toBe(1)
    const [count] = await db.database.rows<{ n: number }>(sql`select count(*) as n from job`)
    expect(count?.n).toBe(1)
    await expect(submitPrompt(execution, me, { ...request, text: 'Twice' })).rejects.toMatchObject({
      code: 'prompt_conflict',
    })
  })
})
