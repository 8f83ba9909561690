import { sql } from 'drizzle-orm'
import { v7 as uuidV7 } from 'uuid'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../../store/testing/test-database.ts'
import { deletePrompt } from '../delete/delete-prompt.ts'
import { threadTest } from '../testing/thread-test.ts'
import { actOnPrompts } from './act-on-prompts.ts'
import type { ActionOutcome } from './action-outcome.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

const told = (outcomes: readonly ActionOutcome[]) =>
  outcomes.map((one) => ('refused' in one ? one.refused.code : one.state))

async function mixed() {
  const test = await threadTest(db.database)
  const answered = await test.submit('answered')
  await test.answer('Yes.')
  const running = await test.submit('running')
  const call = await test.claimed()
  const waiting = await test.submit('waiting')
  const deleted = await test.submit('deleted')
  await deletePrompt(test.execution, test.me, deleted)
  const ids = [waiting, uuidV7(), answered, running, waiting, deleted]
  return { ...test, call, answered, running, waiting, ids }
}

describe('the same thing to many', () => {
  it('cancels what waits and runs, each line answering for itself and in order', async () => {
    const test = await mixed()
    const outcomes = await actOnPrompts(test.execution, test.me, { action: 'cancel', prompt_ids: test.ids })
    expect(outcomes.map((one) => one.promptId)).toEqual(test.ids)
    expect(told(outcomes)).toEqual([
      'cancelled',
      'not_found',
      'state_conflict',
      'cancelled',
      'cancelled',
      'gone',
    ])
    expect(test.call.options.signal.aborted).toBe(true)
    expect((await test.view(test.answered)).state).toBe('succeeded')
    const again = await actOnPrompts(test.execution, test.me, {
      action: 'cancel',
      prompt_ids: [test.waiting],
    })
    expect(told(again)).toEqual(['cancelled'])
    await test.worker.idle()
  })

  it('retries what is settled, with the new job of each', async () => {
    const test = await mixed()
    const before = await test.view(test.answered)
    const outcomes = await actOnPrompts(test.execution, test.me, { action: 'retry', prompt_ids: test.ids })
    expect(told(outcomes)).toEqual([
      'state_conflict',
      'not_found',
      'queued',
      'state_conflict',
      'state_conflict',
      'gone',
    ])
    const after = await test.view(test.answered)
    expect(after.job_id).not.toBe(before.job_id)
    expect(outcomes[2]).toMatchObject({ jobId: after.job_id })
    test.call.answer('Done.')
    await test.worker.idle()
  })

  it('marks as seen only what is settled, so that an answer to come is new', async () => {
    const test = await mixed()
    const outcomes = await actOnPrompts(test.execution, test.me, { action: 'seen', prompt_ids: test.ids })
    expect(told(outcomes)).toEqual([
      'state_conflict',
      'not_found',
      'succeeded',
      'state_conflict',
      'state_conflict',
      'gone',
    ])
    expect((await test.view(test.answered)).seen).toBe(true)
    test.call.answer('Done.')
    await test.worker.idle()
    expect((await test.view(test.running)).seen).toBe(false)
  })

  it('judges what is answered, and takes that back', async () => {
    const test = await mixed()
    const judge = async (verdict: 'confirmed' | null) =>
      told(await actOnPrompts(test.execution, test.me, { action: 'verdict', prompt_ids: test.ids, verdict }))
    const outcomes = ['state_conflict', 'not_found', 'succeeded', 'state_conflict', 'state_conflict', 'gone']
    const before = await test.view(test.answered)
    expect(await judge('confirmed')).toEqual(outcomes)
    expect(await test.view(test.answered)).toMatchObject({
      verdict: 'confirmed',
      revision: before.revision + 1,
    })
    const truth = () =>
      db.database.rows(sql`select truth_class from entity where id = ${test.answered}::uuid`)
    expect(await truth()).toEqual([{ truth_class: 'confirmed' }])
    await judge(null)
    expect((await test.view(test.answered)).verdict).toBeNull()
    expect(await truth()).toEqual([{ truth_class: 'asserted' }])
    test.call.answer('Done.')
    await test.worker.idle()
  })

  it('takes many in few statements, a follower waiting for its parent that is retried with it', async () => {
    const test = await threadTest(db.database)
    const many = await Promise.all(Array.from({ length: 60 }, () => test.submit('one of many')))
    const child = await test.submit('child', { parent_id: many[0] ?? '' })
    const ids = [child, ...many]
    const before = db.database.statementCount()
    const act = (action: 'cancel' | 'retry') =>
      actOnPrompts(test.execution, test.me, { action, prompt_ids: ids })
    expect(new Set(told(await act('cancel')))).toEqual(new Set(['cancelled']))
    expect(new Set(told(await act('retry')))).toEqual(new Set(['queued']))
    expect(db.database.statementCount() - before).toBeLessThan(40)
    expect((await test.view(child)).wait_reason).toEqual({ code: 'after', prompt_id: many[0] })
  })
})
