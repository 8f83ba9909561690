import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { failure } from '../../domain/failure.ts'
import { type TestDatabase, testDatabase } from '../../store/testing/test-database.ts'
import { threadTest } from '../testing/thread-test.ts'
import { changePrompt } from './change-prompt.ts'
import { readQueue } from './read-queue.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

describe('a priority', () => {
  it('that is raised lets a later prompt run first, and is counted from when it was made', async () => {
    const test = await threadTest(db.database, { orgConcurrency: 1 })
    const first = await test.submit('First?')
    const second = await test.submit('Second?')
    const { view } = await changePrompt(test.execution, test.me, second, { priority: 0 })
    expect(view).toMatchObject({ priority: 0, state: 'queued' })
    const { waiting } = await readQueue(test.execution, test.me)
    expect(waiting.map((one) => one.prompt_id)).toEqual([second, first])
    expect((await test.claimed()).request.turns[0]?.text).toBe('Second?')
    const [row] = await db.database.rows<{ rank: number; made: Date }>(
      sql`select claim_rank as rank, created_at as made from job where prompt_id = ${second}::uuid`,
    )
    expect(row?.rank).toBe(row?.made.getTime())
  })
})

describe('a time', () => {
  it('is set, moved and taken back', async () => {
    const test = await threadTest(db.database)
    const id = await test.submit('When?')
    const at = test.inMs(60_000)
    const later = await changePrompt(test.execution, test.me, id, { scheduled_for: at })
    expect(later.view).toMatchObject({ scheduled_for: at, wait_reason: { code: 'scheduled', at } })
    expect((await test.worker.claimOnce()).claimed).toBe(0)
    const now = await changePrompt(test.execution, test.me, id, { scheduled_for: null })
    expect(now.view).toMatchObject({ scheduled_for: null, wait_reason: { code: 'in_line' } })
    expect((await test.claimed()).request.turns[0]?.text).toBe('When?')
  })

  it('never comes nearer than the provider’s limit', async () => {
    const test = await threadTest(db.database)
    const id = await test.submit('When?')
    const call = await test.claimed()
    call.fail({ failure: failure('rate_limit', 'Slow down.', { retryAfterMs: 90_000 }) })
    await test.worker.idle()
    const until = (await test.view(id)).retry_at
    await changePrompt(test.execution, test.me, id, { scheduled_for: test.inMs(3_600_000) })
    const { view } = await changePrompt(test.execution, test.me, id, { scheduled_for: null })
    expect(until).toBe(test.inMs(90_000))
    expect(view).toMatchObject({ retry_at: until, wait_reason: { code: 'rate_limit', until } })
  })

  it('may be given by the clock of a zone, which is shown', async () => {
    const test = await threadTest(db.database)
    const id = await test.submit('When?')
    const { view } = await changePrompt(test.execution, test.me, id, {
      scheduled_for: '2099-01-02T09:00[Asia/Tokyo]',
    })
    expect(view).toMatchObject({ scheduled_for: '2099-01-02T00:00:00.000Z', time_zone: 'Asia/Tokyo' })
  })

  it('that is past, or no time, is refused by its name', async () => {
    const test = await threadTest(db.database)
    const id = await test.submit('When?')
    const change = changePrompt(test.execution, test.me, id, { scheduled_for: '1960-01-01T00:00:00.000Z' })
    await expect(change).rejects.toMatchObject({
      code: 'invalid_request',
      details: { errors: [{ field: 'scheduled_for' }] },
    })
  })
})

describe('a change', () => {
  it('of what is not queued is refused with its state and changes nothing', async () => {
    const test = await threadTest(db.database)
    const id = await test.submit('When?')
    await test.cancel(id)
    const before = await test.view(id)
    const change = changePrompt(test.execution, test.me, id, { priority: 1 })
    await expect(change).rejects.toMatchObject({ code: 'state_conflict', details: { state: 'cancelled' } })
    expect(await test.view(id)).toEqual(before)
  })
})
