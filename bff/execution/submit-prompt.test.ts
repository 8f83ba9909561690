import { sql } from 'drizzle-orm'
import { v7 as uuidV7 } from 'uuid'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type SubmitOptions, submitOptions } from '../../shared/submit.ts'
import { type TestDatabase, testDatabase } from '../store/testing/test-database.ts'
import { readPrompt } from './observe/read-prompt.ts'
import { submitPrompt } from './submit-prompt.ts'
import { testExecution } from './testing/test-execution.ts'
import { until } from './testing/until.ts'

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

  // R013
  it('of the same id as a stranger’s prompt tells nothing about it', async () => {
    const { execution, person } = testExecution(db.database)
    const [me, stranger] = [await person(), await person()]
    const { prompt_id } = await submitPrompt(execution, stranger, { text: 'Private' })
    const again = submitPrompt(execution, me, { prompt_id, text: 'Private' })
    await expect(again).rejects.toMatchObject({ code: 'not_found' })
  })

  it('with the same options in another order is the same request', async () => {
    const { execution, person } = testExecution(db.database)
    const me = await person()
    const prompt_id = uuidV7()
    const first = await submitPrompt(execution, me, {
      prompt_id,
      text: 'Once',
      options: { depth: 1, priority: 2 },
    })
    const again = await submitPrompt(execution, me, {
      prompt_id,
      text: 'Once',
      options: { priority: 2, depth: 1 },
    })
    expect(again.job_id).toBe(first.job_id)
  })

  // R009
  it('runs though nobody waits for its answer', async () => {
    const { execution, worker, provider, person } = testExecution(db.database)
    const me = await person()
    const prompt_id = uuidV7()
    void submitPrompt(execution, me, { prompt_id, text: 'Gone already' })
    await until(async () => (await worker.claimOnce()).claimed === 1)
    ;(await provider.call(0)).answer('Done')
    await worker.idle()
    expect((await readPrompt(execution, me, prompt_id)).answer?.text).toBe('Done')
  })

  it('names a priority, a budget and attempts, or has the defaults', async () => {
    const { execution, person } = testExecution(db.database)
    const me = await person()
    const plain = await submitPrompt(execution, me, { text: 'Plain' })
    expect(plain.view).toMatchObject({ priority: 50, max_attempts: 3, budget: 'unknown', model: 'script-1' })
    const options = { priority: 7, max_attempts: 5, budget: 'medium', model: 'script-2' } as const
    const named = await submitPrompt(execution, me, { text: 'Named', options })
    expect(named.view).toMatchObject(options)
  })
})

describe('a submit that is refused', () => {
  it.each([
    [{ after: uuidV7() }, 'invalid_request', 'options.after'],
    [{ template: 'slurm' }, 'unsupported_option', 'options.template'],
    [{ router_model: 'small' }, 'unsupported_option', 'options.router_model'],
    [{ budget: 'long_compute' }, 'unsupported_option', 'options.budget'],
    [{ context_ids: [uuidV7()] }, 'invalid_request', 'options.context_ids'],
    [{ scheduled_for: '0000-01-01T00:00:00Z' }, 'invalid_request', 'options.scheduled_for'],
    [{ scheduled_for: '9999-12-31T23:59:59-12:00' }, 'invalid_request', 'options.scheduled_for'],
    [{ prefer_provider: 'nobody' }, 'invalid_request', 'options.prefer_provider'],
  ] as const)('with options %j is told so, by the field', async (options, code, field) => {
    const { execution, person } = testExecution(db.database)
    const me = await person()
    const refused = submitPrompt(execution, me, { text: 'Ask', options: mutable(options) })
    await expect(refused).rejects.toMatchObject({ code, details: { errors: [{ field }] } })
    expect(await db.database.rows(sql`select from job`)).toEqual([])
  })

  it('for its place is told so: not there, another’s, deleted', async () => {
    const { execution, person } = testExecution(db.database)
    const [me, stranger] = [await person(), await person()]
    const foreign = await submitPrompt(execution, stranger, { text: 'Private' })
    const deleted = await submitPrompt(execution, me, { text: 'Deleted' })
    await db.database.rows(
      sql`update entity set state_class = 'retracted' where id = ${deleted.prompt_id}::uuid`,
    )
    const refusals = [
      [{ parent_id: uuidV7() }, 'invalid_request', 'parent_id'],
      [{ root_entity_id: uuidV7() }, 'invalid_request', 'root_entity_id'],
      [{ parent_id: foreign.prompt_id }, 'invalid_request', 'parent_id'],
      [{ parent_id: deleted.prompt_id }, 'gone', 'parent_id'],
    ] as const
    for (const [place, code, field] of refusals) {
      const refused = submitPrompt(execution, me, { text: 'Ask', ...place })
      await expect(refused).rejects.toMatchObject({ code, details: { errors: [{ field }] } })
    }
  })
})

describe('submits that wait together', () => {
  it('share one transaction, and each has its own answer', async () => {
    const { execution, person } = testExecution(db.database)
    const me = await person()
    await submitPrompt(execution, me, { text: 'Warm up' })
    const one = db.database.statementCount()
    await submitPrompt(execution, me, { text: 'Alone' })
    const cost = db.database.statementCount() - one
    const before = db.database.statementCount()
    const texts = Array.from({ length: 50 }, (_, index) => `Prompt ${index}`)
    const answers = await Promise.all(texts.map((text) => submitPrompt(execution, me, { text })))
    expect(answers.map((answer) => answer.view.text_excerpt)).toEqual(texts)
    expect(new Set(answers.map((answer) => answer.prompt_id)).size).toBe(50)
    expect(db.database.statementCount() - before).toBe(cost)
  })

  it('are refused each for itself', async () => {
    const { execution, person } = testExecution(db.database)
    const me = await person()
    const taken = await submitPrompt(execution, me, { text: 'Taken' })
    const results = await Promise.allSettled([
      submitPrompt(execution, me, { text: 'Fine' }),
      submitPrompt(execution, me, { text: 'Lost', parent_id: uuidV7() }),
      submitPrompt(execution, me, { prompt_id: taken.prompt_id, text: 'Other' }),
      submitPrompt(execution, me, { text: 'Fine too' }),
    ])
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
  })

  it('may continue one another, in the order in which they came', async () => {
    const { execution, person } = testExecution(db.database)
    const me = await person()
    const ids = Array.from({ length: 5 }, () => uuidV7())
    const answers = await Promise.all(
      ids.map((prompt_id, index) => {
        const parent = ids[index - 1]
        return submitPrompt(execution, me, {
          prompt_id,
          text: 'Chain',
          ...(parent ? { parent_id: parent } : {}),
        })
      }),
    )
    expect(answers.map((answer) => answer.view.parent_id)).toEqual([null, ...ids.slice(0, -1)])
    expect(new Set(answers.map((answer) => answer.view.correlation_id))).toEqual(new Set([ids[0]]))
  })

  it('to one thread by its root line up', async () => {
    const { execution, person, clock } = testExecution(db.database)
    const me = await person()
    const root = await submitPrompt(execution, me, { text: 'Root' })
    clock.advance(10)
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((text) => submitPrompt(execution, me, { text, root_entity_id: root.prompt_id })),
    )
    const parents = answers.map((answer) => answer.view.parent_id)
    expect(parents[0]).toBe(root.prompt_id)
    expect(new Set(parents).size).toBe(3)
  })
})

/** The table above is constant; a request's own arrays are not. */
function mutable(options: Readonly<Record<string, unknown>>): SubmitOptions {
  return submitOptions.parse(structuredClone(options))
}
