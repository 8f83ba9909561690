import { sql } from 'drizzle-orm'
import { v7 as uuidV7 } from 'uuid'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PromptView } from '../../../shared/prompt-view.ts'
import { seededRandom } from '../../domain/testing/seeded-random.ts'
import { decodeCursor, encodeCursor } from '../../store/events/cursor.ts'
import { type TestDatabase, testDatabase } from '../../store/testing/test-database.ts'
import { cancelPrompt } from '../cancel-prompt.ts'
import type { Execution, Scope } from '../context.ts'
import { markSeen } from '../mark-seen.ts'
import { retryPrompt } from '../retry-prompt.ts'
import { submitPrompt } from '../submit-prompt.ts'
import { readStream } from '../testing/stream-reader.ts'
import { type TestExecution, testExecution } from '../testing/test-execution.ts'
import { until } from '../testing/until.ts'
import { readField, readViews } from './read-field.ts'
import { readRecent } from './read-recent.ts'
import { openStream } from './streams.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

async function setup() {
  const test = testExecution(db.database)
  return { ...test, me: await test.person() }
}

/** What a client holds: views by prompt, merged by revision, as `web/sync` does. */
function clientOf(execution: Execution, me: Scope) {
  const views = new Map<string, PromptView>()
  const merge = (view: PromptView): void => {
    const known = views.get(view.prompt_id)
    if (!known || view.revision > known.revision) views.set(view.prompt_id, view)
  }
  return {
    views,
    merge,
    /** Follows `since` until there is no more; the cursor to go on from. */
    async poll(since: string, limit = 3): Promise<string> {
      let cursor = since
      for (let more = true; more; ) {
        const page = await readRecent(execution, me, { since: cursor, limit })
        for (const view of page.entities) merge(view)
        more = page.has_more
        cursor = page.cursor
      }
      return cursor
    },
    revisions: () => new Map([...views].map(([id, view]) => [id, view.revision])),
  }
}

async function truth(test: TestExecution, me: Scope): Promise<Map<string, number>> {
  const { ids } = await readField(test.execution, me)
  const { views } = await readViews(test.execution, me, ids)
  return new Map(views.map((view) => [view.prompt_id, view.revision]))
}

describe('polling', () => {
  it('from the newest page on follows every change', async () => {
    const test = await setup()
    const client = clientOf(test.execution, test.me)
    const first = await readRecent(test.execution, test.me, {})
    expect(first).toMatchObject({ entities: [], has_more: false, before: null })
    const ids: string[] = []
    for (let made = 0; made < 8; made++) {
      ids.push((await submitPrompt(test.execution, test.me, { text: `${made}` })).prompt_id)
    }
    let cursor = await client.poll(first.cursor)
    expect(client.revisions()).toEqual(await truth(test, test.me))
    await cancelPrompt(test.execution, test.me, ids[3] ?? '')
    cursor = await client.poll(cursor)
    expect(client.views.get(ids[3] ?? '')?.state).toBe('cancelled')
    const nothing = await readRecent(test.execution, test.me, { since: cursor })
    expect(nothing).toMatchObject({ entities: [], has_more: false })
  })

  it('a position inside a page says that there is more, however old it is', async () => {
    const test = await setup()
    const { cursor } = await readRecent(test.execution, test.me, {})
    for (const text of ['one', 'two', 'three']) await submitPrompt(test.execution, test.me, { text })
    const inside = await readRecent(test.execution, test.me, { since: cursor, limit: 2 })
    const late = await submitPrompt(test.execution, test.me, { text: 'late' })
    const client = clientOf(test.execution, test.me)
    await client.poll(inside.cursor, 100)
    expect([...client.views.keys()]).toContain(late.prompt_id)
  })

  it('pages of the newest go back to the oldest, each prompt once', async () => {
    const test = await setup()
    const ids: string[] = []
    for (let made = 0; made < 11; made++) {
      ids.push((await submitPrompt(test.execution, test.me, { text: `${made}` })).prompt_id)
    }
    const read: string[] = []
    let before: string | null = null
    do {
      const at: { before?: string } = before === null ? {} : { before }
      const page = await readRecent(test.execution, test.me, { ...at, limit: 4 })
      read.push(...page.entities.map((view) => view.prompt_id))
      before = page.before
    } while (before !== null)
    expect(read.toSorted()).toEqual(ids.toSorted())
    expect(new Set(read).size).toBe(11)
  })

  it('by a time delivers what changed since, and by the same time again harmlessly', async () => {
    const test = await setup()
    const { prompt_id } = await submitPrompt(test.execution, test.me, { text: 'Ask' })
    const client = clientOf(test.execution, test.me)
    const since = test.clock.now().toISOString()
    await client.poll(since)
    expect([...client.views.keys()]).toEqual([prompt_id])
    await client.poll(since)
    expect(client.revisions()).toEqual(await truth(test, test.me))
    test.clock.advance(3_600_000)
    const later = await readRecent(test.execution, test.me, { since: test.clock.now().toISOString() })
    expect(later.entities).toEqual([])
    await cancelPrompt(test.execution, test.me, prompt_id)
    await client.poll(later.cursor)
    expect(client.views.get(prompt_id)?.state).toBe('cancelled')
  })

  it('leaves out what belongs to others', async () => {
    const test = await setup()
    const stranger = await test.person()
    const { cursor } = await readRecent(test.execution, test.me, {})
    const { prompt_id } = await submitPrompt(test.execution, stranger, { text: 'Private' })
    expect((await readRecent(test.execution, test.me, { since: cursor })).entities).toEqual([])
    expect((await readRecent(test.execution, test.me, {})).entities).toEqual([])
    expect((await readViews(test.execution, test.me, [prompt_id, uuidV7()])).views).toEqual([])
    expect((await readField(test.execution, test.me)).ids).toEqual([])
  })
})

describe('a position', () => {
  it('of another epoch is answered with a resync and the newest page', async () => {
    const test = await setup()
    const { prompt_id, cursor } = await submitPrompt(test.execution, test.me, { text: 'Ask' })
    const foreign = encodeCursor({ ...decodeCursor(cursor), epoch: 'another' })
    const answer = await readRecent(test.execution, test.me, { since: foreign })
    expect(answer).toMatchObject({ resync: true, entities: [{ prompt_id }] })
    expect((await readRecent(test.execution, test.me, { since: answer.cursor })).resync).toBeUndefined()
  })

  it('below the floor of the events is answered with a resync', async () => {
    const before = await setup()
    const { cursor } = await submitPrompt(before.execution, before.me, { text: 'Ask' })
    await db.database.rows(sql`update meta set value = to_jsonb('900000'::text) where key = 'event_floor'`)
    try {
      const after = testExecution(db.database)
      const answer = await readRecent(after.execution, before.me, { since: cursor })
      expect(answer.resync).toBe(true)
    } finally {
      await db.database.rows(sql`update meta set value = to_jsonb('0'::text) where key = 'event_floor'`)
    }
  })

  it.each(['x', '', 'bm90IGpzb24', '2026-13-45T00:00:00Z', '1773316800000'])(
    'written as %j is malformed, by its field',
    async (since) => {
      const test = await setup()
      await expect(readRecent(test.execution, test.me, { since })).rejects.toMatchObject({
        code: 'malformed_cursor',
        details: { errors: [{ field: 'since' }] },
      })
    },
  )

  it.each(['0000-01-01T00:00:00Z', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'])(
    'as extreme as %s is a time like any other',
    async (since) => {
      const test = await setup()
      const { prompt_id } = await submitPrompt(test.execution, test.me, { text: 'Ask' })
      const page = await readRecent(test.execution, test.me, { since })
      expect(page.entities.map((view) => view.prompt_id)).toEqual(since < '9' ? [prompt_id] : [])
    },
  )

  it.each(['999999999999999', '253402300800000'])(
    'of a page that no time has (%s) is malformed',
    async (ms) => {
      const test = await setup()
      await expect(
        readRecent(test.execution, test.me, { before: `${ms}_${uuidV7()}` }),
      ).rejects.toMatchObject({
        code: 'malformed_cursor',
        details: { errors: [{ field: 'before' }] },
      })
    },
  )

  it('of an older page and a newer time together is refused', async () => {
    const test = await setup()
    const both = { since: test.clock.now().toISOString(), before: `1_${uuidV7()}` }
    await expect(readRecent(test.execution, test.me, both)).rejects.toMatchObject({ code: 'invalid_request' })
    await expect(readRecent(test.execution, test.me, { before: 'there' })).rejects.toMatchObject({
      code: 'malformed_cursor',
      details: { errors: [{ field: 'before' }] },
    })
  })
})

describe('the stream and the polls', () => {
  it('tell the same story of the same random history', { timeout: 90_000 }, async () => {
    const seed = Number(process.env.WALK_SEED ?? Date.now() % 1_000_000)
    const random = seededRandom(seed)
    const test = await setup()
    const { execution, me } = test
    const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)]
    const ids: string[] = []
    const start = await readRecent(execution, me, {})
    const closing = new AbortController()
    const stream = readStream(
      await openStream(execution, me, { since: start.cursor, signal: closing.signal }),
    )
    const poller = clientOf(execution, me)
    let cursor = start.cursor

    const act = async (): Promise<unknown> => {
      const id = pick(ids)
      const roll = random()
      if (!id || roll < 0.2) {
        const place = id && random() < 0.5 ? { parent_id: id } : {}
        return ids.push((await submitPrompt(execution, me, { text: 'Ask', ...place })).prompt_id)
      }
      if (roll < 0.45) return test.worker.claimOnce()
      if (roll < 0.65) return pick(test.provider.calls)?.answer('Done')
      if (roll < 0.8) return cancelPrompt(execution, me, id).catch(() => {})
      if (roll < 0.9) return retryPrompt(execution, me, id).catch(() => {})
      const view = poller.views.get(id)
      return view && markSeen(execution, me, [{ prompt_id: id, job_id: view.job_id }])
    }
    for (let step = 0; step < 120; step++) {
      test.clock.advance(5)
      await act()
      if (random() < 0.2) cursor = await poller.poll(cursor)
    }
    for (const call of test.provider.calls) call.answer('Done')
    await test.worker.idle()
    await poller.poll(cursor)

    const server = await truth(test, me)
    const streamed = clientOf(execution, me)
    await until(() => {
      for (const item of stream.items) if (item.event === 'job.state_changed') streamed.merge(item.data)
      return [...server].every(([id, revision]) => (streamed.views.get(id)?.revision ?? 0) >= revision)
    })
    expect(poller.revisions(), `seed ${seed}`).toEqual(server)
    expect(streamed.revisions(), `seed ${seed}`).toEqual(server)
    const fields = (views: Map<string, PromptView>) =>
      [...views.values()]
        .map((view) => ({ ...view, seen: null }))
        .sort((a, b) => (a.prompt_id < b.prompt_id ? -1 : 1))
    expect(fields(streamed.views), `seed ${seed}`).toEqual(fields(poller.views))
    closing.abort()
    await stream.end
    expect(test.execution.changes.listeners).toBe(0)
  })
})
