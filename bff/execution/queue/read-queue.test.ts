import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../store/database/database.ts'
import { type TestDatabase, testDatabase } from '../../store/testing/test-database.ts'
import { submitPrompt } from '../submit-prompt.ts'
import { threadTest } from '../testing/thread-test.ts'
import { readQueue } from './read-queue.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

/** As whoever closes a gate leaves it. */
async function closeGate(database: Database, provider: string, until: string): Promise<void> {
  await database.rows(sql`
    insert into provider_gate (provider, closed_until, updated_at) values (${provider}, ${until}::timestamptz, now())`)
}

describe('places in the queue', () => {
  it('are counted among all that are ready in the org, whoever asks', async () => {
    const test = await threadTest(db.database, { orgConcurrency: 1 })
    const colleague = { ...test.me, personId: (await test.person()).personId }
    const running = await test.submit('running')
    await test.claimed()
    await submitPrompt(test.execution, colleague, { text: 'a colleague’s' })
    const mine = await test.submit('mine')
    const urgent = await test.submit('urgent', { options: { priority: 0 } })
    const at = test.inMs(3_600_000)
    const later = await test.submit('later', { options: { scheduled_for: at } })
    const held = await test.submit('after', { parent_id: running })
    const queue = await readQueue(test.execution, test.me)
    expect([queue.running, queue.places]).toEqual([1, 1])
    expect(queue.waiting).toEqual([
      { prompt_id: urgent, position: 1, reason: { code: 'org_limit' } },
      { prompt_id: mine, position: 3, reason: { code: 'org_limit' } },
      { prompt_id: held, position: 4, reason: { code: 'after', prompt_id: running } },
      {
        prompt_id: later,
        position: 4,
        reason: { code: 'scheduled', at },
        eta: at,
      },
    ])
  })

  it('behind a closed gate say so with its time, and keep nobody else’s place', async () => {
    const test = await threadTest(db.database)
    const until = test.inMs(60_000)
    await closeGate(db.database, 'scripted', until)
    const id = await test.submit('limited')
    await db.database.rows(sql`update job set permit = null, permit_at = null`)
    const reason = { code: 'rate_limit', provider: 'scripted', until }
    expect((await readQueue(test.execution, test.me)).waiting).toEqual([
      { prompt_id: id, position: 1, reason, eta: until },
    ])
    const second = await test.submit('limited too')
    const places = (await readQueue(test.execution, test.me)).waiting.map((one) => [
      one.prompt_id,
      one.position,
    ])
    expect(places).toEqual([
      [id, 1],
      [second, 1],
    ])
    // A script that reads one prompt is told the same.
    expect((await test.view(id)).wait_reason).toEqual(reason)
    test.clock.advance(60_000)
    expect((await test.view(id)).wait_reason).toEqual({ code: 'in_line' })
  })

  it('of an org whose places are all taken say so', async () => {
    const test = await threadTest(db.database, { orgConcurrency: 1 })
    await test.submit('running')
    const waiting = await test.submit('waiting')
    expect((await test.view(waiting)).wait_reason).toEqual({ code: 'in_line' })
    const call = await test.claimed()
    expect((await test.view(waiting)).wait_reason).toEqual({ code: 'org_limit' })
    call.answer('Done.')
    await test.worker.idle()
    expect((await test.view(waiting)).wait_reason).toEqual({ code: 'in_line' })
  })
})
