import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { failure } from '../domain/failure.ts'
import { type TestDatabase, testDatabase } from '../store/testing/test-database.ts'
import { cancelPrompt } from './cancel-prompt.ts'
import { readField } from './observe/read-field.ts'
import { readPrompt, readThread } from './observe/read-prompt.ts'
import { retryPrompt } from './retry-prompt.ts'
import { submitPrompt } from './submit-prompt.ts'
import { testExecution } from './testing/test-execution.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

async function setup() {
  const test = testExecution(db.database)
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
    submit: async (text: string, parentId?: string) => {
      clock.advance(10)
      const place = parentId === undefined ? {} : { parent_id: parentId }
      return (await submitPrompt(execution, me, { text, ...place })).prompt_id
    },
    answer: async (text: string) => {
      ;(await claimed()).answer(text)
      await worker.idle()
    },
    view: async (id: string) => (await readPrompt(execution, me, id)).view,
    retry: (id: string) => retryPrompt(execution, me, id),
    cancel: (id: string) => cancelPrompt(execution, me, id),
  }
}

describe('a prompt that continues an unfinished one', () => {
  it('runs once that is answered, with its answer', async () => {
    const test = await setup()
    const first = await test.submit('First?')
    const next = await test.submit('Next?', first)
    expect((await test.view(next)).wait_reason).toEqual({ code: 'after', prompt_id: first })
    await test.answer('First.')
    expect((await test.view(next)).wait_reason).toEqual({ code: 'in_line' })
    await test.answer('Next.')
    expect(test.provider.calls[1]?.request.turns.map((turn) => turn.text)).toEqual([
      'First?',
      'First.',
      'Next?',
    ])
  })

  it('is held when that fails, and freed by its retry', async () => {
    const test = await setup()
    const first = await test.submit('First?')
    const next = await test.submit('Next?', first)
    ;(await test.claimed()).fail({ failure: failure('auth', 'No key.') })
    await test.worker.idle()
    expect(await test.view(next)).toMatchObject({
      state: 'queued',
      wait_reason: { code: 'held', prompt_id: first, cause: 'failed' },
    })
    expect((await test.worker.claimOnce()).claimed).toBe(0)
    await test.retry(first)
    expect((await test.view(next)).wait_reason).toEqual({ code: 'after', prompt_id: first })
    await test.answer('First.')
    await test.answer('Next.')
    expect((await test.view(next)).state).toBe('succeeded')
  })

  it('is held down the line when one in the middle is cancelled, and can be cancelled itself', async () => {
    const test = await setup()
    const first = await test.submit('First?')
    const second = await test.submit('Second?', first)
    const third = await test.submit('Third?', second)
    await test.cancel(second)
    const held = { code: 'held', prompt_id: second, cause: 'cancelled' }
    expect((await test.view(third)).wait_reason).toEqual(held)
    await test.answer('First.')
    expect((await test.view(third)).wait_reason).toEqual(held)
    expect((await test.cancel(third)).state).toBe('cancelled')
  })
})

describe('a retry', () => {
  // R017
  it('of the first prompt of a thread keeps thread, verdict, followers and the old answer', async () => {
    const test = await setup()
    const root = await test.submit('Root?')
    await test.answer('Old.')
    const leaf = await test.submit('Leaf?', root)
    await test.answer('Leaf.')
    await db.database.rows(sql`
      update entity set verdict = 'confirmed', verdict_at = now(), truth_class = 'confirmed' where id = ${root}::uuid`)
    await db.database.rows(sql`update thread set title = 'A title'`)
    const before = await test.view(root)
    await test.retry(root)
    const queued = await test.view(root)
    expect(queued).toMatchObject({ state: 'queued', response_id: before.response_id, answer_excerpt: 'Old.' })
    await test.answer('New.')
    const after = await test.view(root)
    expect(after).toMatchObject({
      verdict: 'confirmed',
      thread_title: 'A title',
      correlation_id: root,
      answer_excerpt: 'New.',
      created_at: before.created_at,
      earlier_jobs: [{ job_id: before.job_id, outcome: 'succeeded' }],
    })
    expect((await test.view(leaf)).parent_id).toBe(root)
    const field = await readField(test.execution, test.me)
    expect(field.threads).toHaveLength(1)
    expect(field.ids).toEqual([root, leaf])
    const old = await db.database.rows(sql`select body from entity where id = ${before.response_id}::uuid`)
    expect(old).toEqual([{ body: 'Old.' }])
  })

  // R087
  it('touches no other prompt of the thread', async () => {
    const test = await setup()
    const root = await test.submit('Root?')
    await test.answer('Root.')
    const leaves: string[] = []
    for (const text of ['One', 'Two']) {
      leaves.push(await test.submit(`${text}?`, root))
      await test.answer(`${text}.`)
    }
    const before = await Promise.all(leaves.map(test.view))
    await test.retry(root)
    await test.answer('New.')
    expect(await Promise.all(leaves.map(test.view))).toEqual(before)
  })

  it('while it waits or runs is refused, with the job that does', async () => {
    const test = await setup()
    const id = await test.submit('Ask')
    const { job_id } = await test.view(id)
    const refused = (state: string) => ({ code: 'state_conflict', details: { state, job_id } })
    await expect(test.retry(id)).rejects.toMatchObject(refused('queued'))
    const call = await test.claimed()
    await expect(test.retry(id)).rejects.toMatchObject(refused('running'))
    call.answer('Done')
    await test.worker.idle()
  })

  it('pressed many times at once makes one job; the others learn its id', async () => {
    const test = await setup()
    const id = await test.submit('Ask')
    await test.answer('Old.')
    const tries = await Promise.allSettled(Array.from({ length: 20 }, () => test.retry(id)))
    const won = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value.job_id] : []))
    expect(won).toHaveLength(1)
    for (const one of tries)
      if (one.status === 'rejected') {
        expect(one.reason).toMatchObject({ code: 'state_conflict', details: { job_id: won[0] } })
      }
  })
})

describe('a cancel', () => {
  it('repeated answers the same again; of what has ended otherwise it is refused', async () => {
    const test = await setup()
    const id = await test.submit('Ask')
    const first = await test.cancel(id)
    const again = await test.cancel(id)
    expect(again).toMatchObject({ job_id: first.job_id, state: 'cancelled' })
    expect(again.view.revision).toBe(first.view.revision)
    await test.retry(id)
    await test.answer('Done.')
    await expect(test.cancel(id)).rejects.toMatchObject({
      code: 'state_conflict',
      details: { state: 'succeeded' },
    })
  })

  it('of a retry that was not claimed leaves the old answer', async () => {
    const test = await setup()
    const id = await test.submit('Ask')
    await test.answer('Old.')
    await test.retry(id)
    await test.cancel(id)
    const detail = await readPrompt(test.execution, test.me, id)
    expect(detail).toMatchObject({ view: { state: 'cancelled' }, answer: { text: 'Old.' } })
  })
})

describe('a thread', () => {
  it('is read from any of its prompts, whole texts, in pages that hold each once', async () => {
    const test = await setup()
    const root = await test.submit('Root?')
    const ids = [root]
    for (let turn = 0; turn < 6; turn++) ids.push(await test.submit(`Turn ${turn}?`, root))
    const read: string[] = []
    let after: string | undefined
    do {
      const at = after === undefined ? {} : { after }
      const page = await readThread(test.execution, test.me, ids[3] ?? '', { ...at, limit: 3 })
      expect(page).toMatchObject({ id: root, title: 'Root?' })
      read.push(...page.prompts.map((prompt) => prompt.view.prompt_id))
      after = page.next ?? undefined
    } while (after !== undefined)
    expect(read).toEqual(ids)
  })

  it('refuses a place that the server did not give, naming it', async () => {
    const test = await setup()
    const root = await test.submit('Root?')
    const read = readThread(test.execution, test.me, root, { after: 'somewhere' })
    await expect(read).rejects.toMatchObject({
      code: 'malformed_cursor',
      details: { errors: [{ field: 'after' }] },
    })
  })

  it('continued by its root goes on from its newest leaf', async () => {
    const test = await setup()
    const root = await test.submit('Root?')
    const leaf = await test.submit('Leaf?', root)
    test.clock.advance(10)
    const next = await submitPrompt(test.execution, test.me, { text: 'Next?', root_entity_id: root })
    expect(next.view).toMatchObject({ parent_id: leaf, correlation_id: root })
  })
})
