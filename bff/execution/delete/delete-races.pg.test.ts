import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type TestPostgres, testPostgres } from '../../store/testing/test-postgres.ts'
import { retryPrompt } from '../retry-prompt.ts'
import { submitPrompt } from '../submit-prompt.ts'
import { threadTest } from '../testing/thread-test.ts'
import { deletePrompt } from './delete-prompt.ts'
import { deleteThread } from './delete-thread.ts'

let test: TestPostgres
beforeAll(async () => {
  test = await testPostgres()
})
beforeEach(() => test.truncate())
afterAll(() => test.close())

const settled = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => String(Reflect.get(Object(error), 'code')),
  )

describe('at the same moment', () => {
  // R089
  it('a thread is deleted and continued: nothing of it stays behind, whoever is first', async () => {
    const { execution, me, submit } = await threadTest(test.database)
    for (let round = 0; round < 15; round++) {
      const root = await submit(`Round ${round}`)
      const [deleted, ...submitted] = await Promise.all([
        settled(deleteThread(execution, me, root)),
        ...Array.from({ length: 4 }, (_, index) =>
          settled(submitPrompt(execution, me, { text: `${index}`, parent_id: root })),
        ),
      ])
      expect(deleted).toBe('done')
      for (const outcome of submitted) expect(['done', 'gone']).toContain(outcome)
      const left = await test.database.rows(
        sql`select id from entity where correlation_id = ${root}::uuid and state_class <> 'retracted'`,
      )
      expect(left).toEqual([])
    }
    expect(await test.database.rows(sql`select id from job where state in ('queued', 'running')`)).toEqual([])
  })

  it('a prompt is deleted and retried: it never runs hidden', async () => {
    const { execution, me, submit, cancel } = await threadTest(test.database)
    for (let round = 0; round < 15; round++) {
      const id = await submit(`Round ${round}`)
      await cancel(id)
      const [deleted, retried] = await Promise.all([
        settled(deletePrompt(execution, me, id)),
        settled(retryPrompt(execution, me, id)),
      ])
      expect(deleted).toBe('done')
      expect(['done', 'gone', 'not_found']).toContain(retried)
    }
    expect(await test.database.rows(sql`select id from job where state in ('queued', 'running')`)).toEqual([])
  })
})
