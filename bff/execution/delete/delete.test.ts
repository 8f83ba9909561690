import { sql } from 'drizzle-orm'
import { v7 as uuidV7 } from 'uuid'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { failure } from '../../domain/failure.ts'
import { type TestDatabase, testDatabase } from '../../store/testing/test-database.ts'
import { readField, readViews } from '../observe/read-field.ts'
import { readPrompt, readThread } from '../observe/read-prompt.ts'
import { readRecent } from '../observe/read-recent.ts'
import { openStream } from '../observe/streams.ts'
import { readQueue } from '../queue/read-queue.ts'
import { retryPrompt } from '../retry-prompt.ts'
import { submitPrompt } from '../submit-prompt.ts'
import { readStream } from '../testing/stream-reader.ts'
import { type ThreadTest, threadTest } from '../testing/thread-test.ts'
import { deletePrompt, deletePromptAs } from './delete-prompt.ts'
import { deleteThread } from './delete-thread.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

const remove = (test: ThreadTest, id: string) => deletePrompt(test.execution, test.me, id)

describe('a deleted prompt', () => {
  it('is hidden everywhere, its answer with it', async () => {
    const test = await threadTest(db.database)
    const id = await test.submit('Secret?')
    await test.answer('Secret.')
    const kept = await test.submit('Kept')
    await remove(test, id)
    const { execution, me } = test
    expect((await readField(execution, me)).ids).toEqual([kept])
    expect((await readField(execution, me)).threads.map((thread) => thread.id)).toEqual([kept])
    expect((await readRecent(execution, me, {})).entities.map((view) => view.prompt_id)).toEqual([kept])
    expect((await readViews(execution, me, [id])).views).toEqual([])
    await expect(readPrompt(execution, me, id)).rejects.toMatchObject({ code: 'not_found' })
    await expect(readThread(execution, me, id)).rejects.toMatchObject({ code: 'not_found' })
    const rows = await db.database.rows(
      sql`select distinct state_class from entity where correlation_id = ${id}::uuid`,
    )
    expect(rows).toEqual([{ state_class: 'retracted' }])
  })

  it('that waited never runs, and is not asked again', async () => {
    const test = await threadTest(db.database)
    const id = await test.submit('Ask')
    await remove(test, id)
    expect((await test.worker.claimOnce()).claimed).toBe(0)
    expect((await readQueue(test.execution, test.me)).waiting).toEqual([])
    await expect(retryPrompt(test.execution, test.me, id)).rejects.toMatchObject({ code: 'gone' })
    await expect(submitPrompt(test.execution, test.me, { text: 'On', parent_id: id })).rejects.toMatchObject({
      code: 'gone',
    })
  })

  it('that runs is refused until it was stopped', async () => {
    const test = await threadTest(db.database)
    const id = await test.submit('Ask')
    await test.claimed()
    const before = await test.view(id)
    await expect(remove(test, id)).rejects.toMatchObject({
      code: 'state_conflict',
      details: { state: 'running', job_id: before.job_id },
    })
    expect(await test.view(id)).toEqual(before)
    await test.cancel(id)
    await test.worker.idle()
    await remove(test, id)
    await remove(test, id)
    await expect(test.view(id)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('holds what waited for it, and is left out of what later prompts are given', async () => {
    const test = await threadTest(db.database)
    const root = await test.submit('Root?')
    await test.answer('Root.')
    const middle = await test.submit('Middle?', { parent_id: root })
    ;(await test.claimed()).fail({ failure: failure('auth', 'No key.') })
    await test.worker.idle()
    const leaf = await test.submit('Leaf?', { parent_id: middle })
    expect((await test.view(leaf)).wait_reason).toMatchObject({ code: 'held', cause: 'failed' })
    await remove(test, middle)
    expect((await test.view(leaf)).wait_reason).toEqual({
      code: 'held',
      prompt_id: middle,
      cause: 'cancelled',
    })
    await test.cancel(leaf)
    await test.retry(leaf)
    const call = await test.claimed()
    expect(call.request.turns.map((turn) => turn.text)).toEqual(['Root?', 'Root.', 'Leaf?'])
    call.answer('Leaf.')
    await test.worker.idle()
  })

  it('of an operator’s wish is written down as the operator’s', async () => {
    const test = await threadTest(db.database)
    const id = await test.submit('Ask')
    await deletePromptAs(test.execution, id, 'ops')
    const rows = await db.database.rows(
      sql`select data->>'actor' as actor from event where prompt_id = ${id}::uuid and kind = 'entity-retracted'`,
    )
    expect(rows).toEqual([{ actor: 'ops' }])
    await expect(deletePromptAs(test.execution, uuidV7(), 'ops')).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('a deletion', () => {
  // R089
  it('reaches who polls and who streams, without a word of what was deleted', async () => {
    const test = await threadTest(db.database)
    const id = await test.submit('Secret?')
    await test.answer('Secret.')
    const { cursor } = await readRecent(test.execution, test.me, {})
    const client = new AbortController()
    const reader = readStream(await openStream(test.execution, test.me, { signal: client.signal }))
    await remove(test, id)
    const gone = {
      prompt_id: id,
      deleted: true,
      text_excerpt: '',
      answer_excerpt: null,
      thread_title: '',
    }
    expect(await reader.seen((item) => item.event === 'entity.changed')).toMatchObject({ data: gone })
    const poll = await readRecent(test.execution, test.me, { since: cursor })
    expect(poll.entities).toMatchObject([gone])
    expect(JSON.stringify(poll)).not.toContain('Secret')
    client.abort()
    await reader.end
  })

  // R089
  it('of a thread hides all of it or, while one of them runs, nothing; its submits are refused', async () => {
    const test = await threadTest(db.database)
    const root = await test.submit('Root?')
    await test.answer('Root.')
    const second = await test.submit('Second?', { parent_id: root })
    const call = await test.claimed()
    const third = await test.submit('Third?', { parent_id: second })
    const other = await test.submit('Another thread')
    const { execution, me } = test
    await expect(deleteThread(execution, me, root)).rejects.toMatchObject({ code: 'state_conflict' })
    expect((await readField(execution, me)).ids).toEqual([root, second, third, other])
    call.answer('Second.')
    await test.worker.idle()
    const { cursor } = await readRecent(execution, me, {})
    await deleteThread(execution, me, root)
    const field = await readField(execution, me)
    expect([field.ids, field.threads.map((thread) => thread.id)]).toEqual([[other], [other]])
    const { entities } = await readRecent(execution, me, { since: cursor })
    expect(entities.map((view) => [view.prompt_id, view.deleted, view.state])).toEqual([
      [root, true, 'succeeded'],
      [second, true, 'succeeded'],
      [third, true, 'cancelled'],
    ])
    const onward = { text: 'On', root_entity_id: root }
    await expect(submitPrompt(execution, me, onward)).rejects.toMatchObject({ code: 'gone' })
    await deleteThread(execution, me, root)
  })
})
