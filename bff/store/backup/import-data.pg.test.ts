import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readPrompt } from '../../execution/observe/read-prompt.ts'
import { readRecent } from '../../execution/observe/read-recent.ts'
import { findSession, makeLoginLink, useLoginLink as openLoginLink } from '../../execution/sessions.ts'
import { submitPrompt } from '../../execution/submit-prompt.ts'
import { testExecution } from '../../execution/testing/test-execution.ts'
import type { Database } from '../database/database.ts'
import { readEverything, writeSample } from '../testing/backup-sample.ts'
import { type TestDatabase, testDatabase } from '../testing/test-database.ts'
import { testPostgres } from '../testing/test-postgres.ts'
import { importData } from './import-data.ts'

const now = new Date('2026-06-07T08:09:10.111Z')
let embedded: TestDatabase
let postgres: TestDatabase
beforeAll(async () => {
  embedded = await testDatabase()
  postgres = await testPostgres()
})
beforeEach(async () => {
  await embedded.truncate()
  await postgres.truncate()
})
afterAll(async () => {
  await embedded.close()
  await postgres.close()
})

/** Two prompts, the first answered, the second running with some text received; somebody is signed in. */
async function lived() {
  const test = testExecution(embedded.database)
  const me = await test.person()
  const before = (await readRecent(test.execution, me, {})).cursor
  const answered = await submitPrompt(test.execution, me, { text: 'Ask' })
  await test.worker.claimOnce()
  ;(await test.provider.call(0)).answer('Done')
  await test.worker.idle()
  const running = await submitPrompt(test.execution, me, { text: 'And more' })
  await test.worker.claimOnce()
  await test.provider.call(1)
  await embedded.database.rows(sql`
    insert into draft (job_id, run, seq, text, at)
    values (${running.job_id}::uuid, 1, 0, 'So far', ${now}::timestamptz)`)
  const { token } = await makeLoginLink(test.execution, me)
  const { sessionToken } = await openLoginLink(test.execution, token)
  return { ...test, me, before, answered, running, sessionToken }
}

async function eventCount(database: Database): Promise<unknown> {
  return database.rows(sql`select count(*) as all, count(*) filter (where tx <> '3') as later from event`)
}

describe('an import', () => {
  it('copies every row and leaves the source as it was', async () => {
    await writeSample(embedded.database, 700)
    const original = await readEverything(embedded.database)
    const { rows, handedBack } = await importData(embedded.database, postgres.database, now)
    expect(await readEverything(postgres.database)).toEqual(original)
    expect(await readEverything(embedded.database)).toEqual(original)
    expect([rows, handedBack]).toEqual([Object.values(original).flat().length, []])
  })

  it('old cursors begin anew, new ones hear of each later change once, and of nothing old', async () => {
    const { me, before, answered, running } = await lived()
    await importData(embedded.database, postgres.database, now)
    const there = testExecution(postgres.database)
    for (const since of [before, answered.cursor, running.cursor]) {
      expect(await readRecent(there.execution, me, { since })).toMatchObject({
        resync: true,
        entities: [{ prompt_id: running.prompt_id }, { prompt_id: answered.prompt_id }],
      })
    }
    const { cursor } = await readRecent(there.execution, me, {})
    const quiet = await readRecent(there.execution, me, { since: cursor })
    expect(quiet).toMatchObject({ entities: [], has_more: false })
    const { prompt_id } = await submitPrompt(there.execution, me, { text: 'New' })
    const changed = await readRecent(there.execution, me, { since: quiet.cursor })
    expect(changed.entities.map((view) => view.prompt_id)).toEqual([prompt_id])
    expect((await readRecent(there.execution, me, { since: changed.cursor })).entities).toEqual([])
    const [sequence] = await postgres.database.rows(
      sql`select max(seq) = count(*) as gapless, count(distinct seq) = count(*) as once from event`,
    )
    expect(sequence).toEqual({ gapless: true, once: true })
  })

  it('a job that ran waits again, uncounted, its text so far kept; it can be run there', async () => {
    const { me, running } = await lived()
    const { handedBack } = await importData(embedded.database, postgres.database, now)
    expect(handedBack).toEqual([running.job_id])
    expect(await eventCount(postgres.database)).toEqual([{ all: 6, later: 1 }])
    const there = testExecution(postgres.database)
    expect(await readPrompt(there.execution, me, running.prompt_id)).toMatchObject({
      view: { state: 'queued', attempt: 1, error_kind: null },
      partial: { text: 'So far' },
    })
    await there.worker.claimOnce()
    ;(await there.provider.call(0)).answer('All')
    await there.worker.idle()
    expect((await readPrompt(there.execution, me, running.prompt_id)).answer?.text).toBe('All')
  })

  it('whoever was signed in still is', async () => {
    const { me, sessionToken } = await lived()
    await importData(embedded.database, postgres.database, now)
    expect(await findSession(testExecution(postgres.database).execution, sessionToken)).toMatchObject(me)
  })

  it('into a database with rows is refused, and changes nothing', async () => {
    await writeSample(embedded.database, 10)
    await testExecution(postgres.database).person()
    const theirs = await readEverything(postgres.database)
    await expect(importData(embedded.database, postgres.database, now)).rejects.toMatchObject({
      code: 'state_conflict',
      message: expect.stringContaining('empty database'),
    })
    expect(await readEverything(postgres.database)).toEqual(theirs)
  })

  it('from a schema of another version is refused, and changes nothing', async () => {
    await writeSample(embedded.database, 10)
    await embedded.database.rows(
      sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('x', 1e15)`,
    )
    try {
      await expect(importData(embedded.database, postgres.database, now)).rejects.toMatchObject({
        code: 'state_conflict',
        message: expect.stringContaining('another version'),
      })
    } finally {
      await embedded.database.rows(sql`delete from drizzle.__drizzle_migrations where hash = 'x'`)
    }
    expect(await readEverything(postgres.database)).toEqual({})
  })
})
