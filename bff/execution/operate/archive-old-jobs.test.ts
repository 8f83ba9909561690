import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import { type TestDatabase, testDatabase } from '../../store/testing/test-database.ts'
import { readPrompt } from '../observe/read-prompt.ts'
import { readRecent } from '../observe/read-recent.ts'
import { openStream } from '../observe/streams.ts'
import { jobDetails, listJobs, retryJob } from '../operate-jobs.ts'
import { submitPrompt } from '../submit-prompt.ts'
import { testExecution } from '../testing/test-execution.ts'
import { archiveOldJobs } from './archive-old-jobs.ts'

const dayMs = 24 * 60 * 60_000
let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(async () => {
  await db.truncate()
  await db.database.rows(sql`update meta set value = '"0"' where key = 'event_floor'`)
})
afterAll(() => db.close())

async function setup() {
  const test = testExecution(db.database)
  const me = await test.person()
  const folder = mkdtempSync(join(tmpdir(), 'mission-archive-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  let calls = 0
  const answerNext = async (text: string) => {
    await test.worker.claimOnce()
    ;(await test.provider.call(calls++)).answer(text)
    await test.worker.idle()
  }
  const archive = (dryRun = false) =>
    archiveOldJobs(test.execution, { before: test.clock.now(), folder, dryRun })
  /** Its first job is old and replaced. */
  const askedTwice = async () => {
    const { prompt_id, job_id } = await submitPrompt(test.execution, me, { text: 'Ask' })
    await answerNext('First')
    const second = (await retryJob(test.execution, job_id, 'ann')).job_id
    await answerNext('Second')
    return { promptId: prompt_id, first: job_id, second }
  }
  return { ...test, me, archive, askedTwice }
}

it('a cursor from before what was archived is told to begin anew, a later one goes on', async () => {
  const test = await setup()
  const old = (await readRecent(test.execution, test.me, {})).cursor
  const { promptId } = await test.askedTwice()
  const current = (await readRecent(test.execution, test.me, {})).cursor
  test.clock.advance(40 * dayMs)
  expect((await readRecent(test.execution, test.me, { since: old })).resync).toBeUndefined()
  expect((await test.archive()).jobs).toBe(1)

  const anew = await readRecent(test.execution, test.me, { since: old })
  expect(anew).toMatchObject({ resync: true, entities: [{ prompt_id: promptId, state: 'succeeded' }] })
  const { prompt_id } = await submitPrompt(test.execution, test.me, { text: 'Later' })
  for (const since of [current, anew.cursor]) {
    const next = await readRecent(test.execution, test.me, { since })
    expect(next.resync).toBeUndefined()
    expect(next.entities.map((view) => view.prompt_id)).toEqual([prompt_id])
  }
  const gone = new AbortController()
  onTestFinished(() => gone.abort())
  const { items } = await openStream(test.execution, test.me, { since: old, signal: gone.signal })
  const events: string[] = []
  for await (const { event } of items) events.push(event)
  expect(events).toEqual(['hello', 'resync'])
})

it('what is shown, told and asked again of an archived job’s prompt still is', async () => {
  const test = await setup()
  const { promptId, first, second } = await test.askedTwice()
  const before = await readPrompt(test.execution, test.me, promptId)
  const details = await jobDetails(test.execution, second)
  test.clock.advance(40 * dayMs)
  await test.archive()

  const after = await readPrompt(test.execution, test.me, promptId)
  expect(after).toEqual({ ...before, view: { ...before.view, earlier_jobs: [] } })
  expect(after.answer?.text).toBe('Second')
  expect(await jobDetails(test.execution, second)).toEqual(details)
  expect(details.supersedes).toBe(first)
  await expect(jobDetails(test.execution, first)).rejects.toMatchObject({ code: 'not_found' })
  await expect(retryJob(test.execution, first, 'ann')).rejects.toMatchObject({ code: 'not_found' })
  expect((await retryJob(test.execution, second, 'ann')).state).toBe('queued')
})

it('a dry run counts and touches nothing', async () => {
  const test = await setup()
  await test.askedTwice()
  await test.askedTwice()
  test.clock.advance(40 * dayMs)
  expect(await test.archive(true)).toMatchObject({ dry_run: true, jobs: 2, files: [] })
  expect(await listJobs(test.execution, {})).toHaveLength(4)
  expect(await test.archive()).toMatchObject({ jobs: 2, ledger_rows: 2, files: [expect.any(String)] })
  expect(await test.archive()).toMatchObject({ jobs: 0, files: [] })
})

it('a time still to come is refused', async () => {
  const test = await setup()
  const before = new Date(test.clock.now().getTime() + 1)
  await expect(archiveOldJobs(test.execution, { before, folder: '/nowhere' })).rejects.toMatchObject({
    code: 'invalid_request',
  })
})
