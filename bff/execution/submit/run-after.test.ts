import { sql } from 'drizzle-orm'
import { v7 as uuidV7 } from 'uuid'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { failure } from '../../domain/failure.ts'
import { type TestDatabase, testDatabase } from '../../store/testing/test-database.ts'
import { cancelPrompt } from '../cancel-prompt.ts'
import type { Scope } from '../context.ts'
import { retryPrompt } from '../retry-prompt.ts'
import { submitPrompt } from '../submit-prompt.ts'
import { type TestExecution, testExecution } from '../testing/test-execution.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

async function setup() {
  const test = testExecution(db.database)
  const me = await test.person()
  const submit = (text: string, more: object = {}) => submitPrompt(test.execution, me, { text, ...more })
  return { ...test, me, submit }
}

/** Runs what can be claimed, each to the end that `answer` gives it. */
async function work({ worker, provider }: TestExecution, end: 'succeed' | 'fail'): Promise<number> {
  const before = provider.calls.length
  const { claimed } = await worker.claimOnce()
  for (let index = before; index < before + claimed; index++) {
    const call = await provider.call(index)
    if (end === 'succeed') call.answer('Done')
    else call.fail({ failure: failure('auth', 'No key.') })
  }
  await worker.idle()
  return claimed
}

async function waits(promptId: string): Promise<unknown> {
  const [row] = await db.database.rows(
    sql`select state, blocked_by, hold_reason from job where prompt_id = ${promptId}::uuid and state <> 'superseded'`,
  )
  return row
}

const free = { state: 'queued', blocked_by: null, hold_reason: null }

describe('a prompt that runs after another', () => {
  it('waits for it, in a thread of its own and without its text, and is released by its success', async () => {
    const test = await setup()
    const first = await test.submit('First')
    const next = await test.submit('Next', { options: { after: first.prompt_id } })
    expect(next.view).toMatchObject({
      wait_reason: { code: 'after', prompt_id: first.prompt_id },
      parent_id: null,
      correlation_id: next.prompt_id,
    })
    expect(await work(test, 'succeed')).toBe(1)
    expect(await waits(next.prompt_id)).toEqual(free)
    expect(await work(test, 'succeed')).toBe(1)
    expect(test.provider.calls.map((call) => call.request.turns)).toEqual([
      [{ role: 'user', text: 'First' }],
      [{ role: 'user', text: 'Next' }],
    ])
    expect(await db.database.rows(sql`select from edge where kind = 'continues'`)).toEqual([])
  })

  it('that was answered already runs at once', async () => {
    const test = await setup()
    const first = await test.submit('First')
    await work(test, 'succeed')
    const next = await test.submit('Next', { options: { after: first.prompt_id } })
    expect(next.view.wait_reason).toEqual({ code: 'in_line' })
    expect(await waits(next.prompt_id)).toEqual(free)
  })

  it('waits for it again when it was cancelled meanwhile and is retried', async () => {
    const test = await setup()
    const first = await test.submit('First')
    const next = await test.submit('Next', { options: { after: first.prompt_id } })
    await cancelPrompt(test.execution, test.me, next.prompt_id)
    await retryPrompt(test.execution, test.me, next.prompt_id)
    expect(await waits(next.prompt_id)).toEqual({ ...free, blocked_by: first.prompt_id })
  })

  it('that failed or was cancelled is held with the cause, and goes on once that is retried', async () => {
    const test = await setup()
    const failed = await test.submit('First')
    await work(test, 'fail')
    const cancelled = await test.submit('Second')
    await cancelPrompt(test.execution, test.me, cancelled.prompt_id)
    for (const [first, cause] of [
      [failed, 'failed'],
      [cancelled, 'cancelled'],
    ] as const) {
      const next = await test.submit('Next', { options: { after: first.prompt_id } })
      expect(next.view.wait_reason).toEqual({ code: 'held', prompt_id: first.prompt_id, cause })
      await retryPrompt(test.execution, test.me, first.prompt_id)
      expect(await waits(next.prompt_id)).toEqual({ ...free, blocked_by: first.prompt_id })
      expect(await work(test, 'succeed')).toBe(1)
      expect(await waits(next.prompt_id)).toEqual(free)
      expect(await work(test, 'succeed')).toBe(1)
    }
  })

  it('is held with the cause when that fails meanwhile', async () => {
    const test = await setup()
    const first = await test.submit('First')
    const next = await test.submit('Next', { options: { after: first.prompt_id } })
    await work(test, 'fail')
    expect(await waits(next.prompt_id)).toEqual({
      state: 'queued',
      blocked_by: first.prompt_id,
      hold_reason: 'failed',
    })
    expect(await work(test, 'succeed')).toBe(0)
  })

  it('may continue the same one, or another that has settled', async () => {
    const test = await setup()
    const settled = await test.submit('Settled')
    await work(test, 'succeed')
    const first = await test.submit('First')
    const options = { after: first.prompt_id }
    const same = await test.submit('Same', { parent_id: first.prompt_id, options })
    const other = await test.submit('Other', { parent_id: settled.prompt_id, options })
    const byRoot = await test.submit('By root', {
      root_entity_id: settled.prompt_id,
      options: { after: other.prompt_id },
    })
    expect(byRoot.view).toMatchObject({ parent_id: other.prompt_id })
    for (const { prompt_id, view } of [same, other]) {
      expect(view.wait_reason).toEqual({ code: 'after', prompt_id: first.prompt_id })
      expect(await waits(prompt_id)).toEqual({ ...free, blocked_by: first.prompt_id })
    }
    expect(other.view.correlation_id).toBe(settled.prompt_id)
  })

  it('is the same request only with the same predecessor', async () => {
    const test = await setup()
    const [first, second] = [await test.submit('First'), await test.submit('Second')]
    const request = { prompt_id: uuidV7(), options: { after: first.prompt_id, priority: 3 } }
    const next = await test.submit('Next', request)
    await work(test, 'succeed')
    const again = await test.submit('Next', { ...request, options: { priority: 3, after: first.prompt_id } })
    expect(again.job_id).toBe(next.job_id)
    const other = test.submit('Next', { ...request, options: { after: second.prompt_id, priority: 3 } })
    await expect(other).rejects.toMatchObject({ code: 'prompt_conflict' })
  })
})

describe('a prompt is refused, naming options.after,', () => {
  const refused = async (submit: Promise<unknown>, code: string) =>
    expect(submit).rejects.toMatchObject({ code, details: { errors: [{ field: 'options.after' }] } })

  it('when there is none, another’s or a deleted one to run after; the first two are told alike', async () => {
    const test = await setup()
    const stranger: Scope = await test.person()
    const foreign = await submitPrompt(test.execution, stranger, { text: 'Private' })
    const colleague = { orgId: test.me.orgId, personId: stranger.personId }
    const beside = await submitPrompt(test.execution, colleague, { text: 'Of a colleague' })
    const words: string[] = []
    for (const after of [uuidV7(), foreign.prompt_id, beside.prompt_id]) {
      const submit = test.submit('Next', { options: { after } })
      await refused(submit, 'invalid_request')
      words.push(await submit.then(String, (error: Error) => error.message))
    }
    expect(new Set(words).size).toBe(1)
    const deleted = await test.submit('Deleted')
    await db.database.rows(
      sql`update entity set state_class = 'retracted' where id = ${deleted.prompt_id}::uuid`,
    )
    await refused(test.submit('Next', { options: { after: deleted.prompt_id } }), 'gone')
    expect(await db.database.rows(sql`select from job`)).toHaveLength(3)
  })

  it('when it is to run after itself', async () => {
    const test = await setup()
    const prompt_id = uuidV7()
    await refused(test.submit('Next', { prompt_id, options: { after: prompt_id } }), 'invalid_request')
  })

  it('when it continues an unfinished prompt and names another, the newest leaf of its thread included', async () => {
    const test = await setup()
    const [one, two] = [await test.submit('One'), await test.submit('Two')]
    const options = { after: two.prompt_id }
    await refused(test.submit('Next', { parent_id: one.prompt_id, options }), 'two_predecessors')
    await refused(test.submit('Next', { root_entity_id: one.prompt_id, options }), 'two_predecessors')
    expect(await db.database.rows(sql`select from job`)).toHaveLength(2)
  })

  it('each for itself, when many wait together', async () => {
    const test = await setup()
    const [one, two] = [await test.submit('One'), await test.submit('Two')]
    const options = { after: two.prompt_id }
    const results = await Promise.allSettled([
      test.submit('Fine', { options }),
      test.submit('Torn', { parent_id: one.prompt_id, options }),
      test.submit('Lost', { options: { after: uuidV7() } }),
      test.submit('Fine too', { parent_id: one.prompt_id, options: { after: one.prompt_id } }),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
  })

  it('but not when the one to run after is submitted at the same moment, before it', async () => {
    const test = await setup()
    const ids = [uuidV7(), uuidV7(), uuidV7()]
    const answers = await Promise.all(
      ids.map((prompt_id, index) =>
        test.submit('Chain', { prompt_id, options: index > 0 ? { after: ids[index - 1] } : {} }),
      ),
    )
    expect(answers.map(({ view }) => view.wait_reason)).toEqual([
      { code: 'in_line' },
      { code: 'after', prompt_id: ids[0] },
      { code: 'after', prompt_id: ids[1] },
    ])
  })
})
