import { sql } from 'drizzle-orm'
import { v7 as uuidV7 } from 'uuid'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { failure } from '../../domain/failure.ts'
import { type TestDatabase, testDatabase } from '../../store/testing/test-database.ts'
import { threadTest } from '../testing/thread-test.ts'
import { releasePrompt } from './release-prompt.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

describe('a follower that is released', () => {
  it('from a cancelled prompt runs, and is given that prompt’s text', async () => {
    const test = await threadTest(db.database)
    const first = await test.submit('First?')
    const next = await test.submit('Next?', { parent_id: first })
    await test.cancel(first)
    const before = await test.view(next)
    expect(before.wait_reason).toEqual({ code: 'held', prompt_id: first, cause: 'cancelled' })
    const { view } = await releasePrompt(test.execution, test.me, next)
    expect(view).toMatchObject({ state: 'queued', wait_reason: { code: 'in_line' } })
    expect(view.revision).toBe(before.revision + 1)
    const call = await test.claimed()
    expect(call.request.turns.map((turn) => turn.text)).toEqual(['First?', 'Next?'])
  })

  it('from one that still waits runs before it, and is not released again when that one is answered', async () => {
    const test = await threadTest(db.database)
    const first = await test.submit('First?')
    const running = await test.claimed()
    const next = await test.submit('Next?', { parent_id: first })
    await releasePrompt(test.execution, test.me, next)
    const early = await test.claimed()
    running.answer('First.')
    early.answer('Next.')
    await test.worker.idle()
    const [kinds] = await db.database.rows<{ kinds: string[] }>(
      sql`select array_agg(kind order by seq) as kinds from event where prompt_id = ${next}::uuid`,
    )
    expect(kinds?.kinds.filter((kind) => kind === 'job-released')).toEqual(['job-released'])
    expect(await test.view(next)).toMatchObject({ state: 'succeeded', answer_excerpt: 'Next.' })
  })

  it('keeps its own later time', async () => {
    const test = await threadTest(db.database)
    const first = await test.submit('First?')
    const at = test.inMs(60_000)
    const next = await test.submit('Next?', { parent_id: first, options: { scheduled_for: at } })
    const { view } = await releasePrompt(test.execution, test.me, next)
    expect(view.wait_reason).toEqual({ code: 'scheduled', at })
  })
})

describe('a release', () => {
  it('of what waits for nothing, runs or is settled is refused with its state', async () => {
    const test = await threadTest(db.database)
    const release = (id: string) => releasePrompt(test.execution, test.me, id)
    const alone = await test.submit('Alone?')
    await expect(release(alone)).rejects.toMatchObject({
      code: 'state_conflict',
      details: { state: 'queued' },
    })
    const call = await test.claimed()
    await expect(release(alone)).rejects.toMatchObject({ details: { state: 'running' } })
    call.fail({ failure: failure('auth', 'No key.') })
    await test.worker.idle()
    await expect(release(alone)).rejects.toMatchObject({ details: { state: 'failed' } })
  })

  it('of somebody else’s is not found, like one of nobody', async () => {
    const test = await threadTest(db.database)
    const first = await test.submit('First?')
    const next = await test.submit('Next?', { parent_id: first })
    const other = await test.person()
    const foreign = releasePrompt(test.execution, other, next)
    await expect(foreign).rejects.toMatchObject({ code: 'not_found' })
    await expect(releasePrompt(test.execution, test.me, uuidV7())).rejects.toMatchObject({
      code: 'not_found',
    })
    expect((await test.view(next)).wait_reason).toEqual({ code: 'after', prompt_id: first })
  })
})
