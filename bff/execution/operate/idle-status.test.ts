import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../../store/testing/test-database.ts'
import { submitPrompt } from '../submit-prompt.ts'
import { testExecution } from '../testing/test-execution.ts'
import { idleStatus } from './idle-status.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

async function setup() {
  const test = testExecution(db.database)
  const me = await test.person()
  return { ...test, me }
}

it('nothing at all is quiet, each duty without a deadline', async () => {
  const test = await setup()
  const status = await idleStatus(test.execution)
  expect(status).toMatchObject({ quiet: true, blockers: [], wakeups: [] })
  for (const duty of status.duties)
    expect(duty).toMatchObject({ next_deadline: null, last_pass: null, pending: 0 })
  expect(status.duties.map(({ name }) => name)).toEqual(expect.arrayContaining(['claim', 'reclaim']))
})

it('a job that is ready blocks, then blocks while it runs, and nothing does once it is done', async () => {
  const test = await setup()
  const { job_id, prompt_id } = await submitPrompt(test.execution, test.me, { text: 'Ask' })
  const waiting = await idleStatus(test.execution)
  expect(waiting).toMatchObject({ quiet: false, blockers: [{ kind: 'queued-job', job_id, prompt_id }] })
  expect(dutyOf(waiting, 'claim')).toMatchObject({ pending: 1, next_deadline: null })

  await test.worker.claimOnce()
  const running = await idleStatus(test.execution)
  expect(running).toMatchObject({
    quiet: false,
    blockers: [{ kind: 'running-job', job_id, since: '2026-03-12T12:00:00.000Z' }],
    wakeups: [],
  })
  // Five minutes of lease.
  expect(dutyOf(running, 'reclaim')).toMatchObject({ pending: 0, next_deadline: '2026-03-12T12:05:00.000Z' })
  test.clock.advance(5 * 60_000)
  await db.database.rows(sql`update job set running_heartbeat_at = started_at`)
  expect(dutyOf(await idleStatus(test.execution), 'reclaim')?.pending).toBe(1)
  ;(await test.provider.call(0)).answer('Done')
  await test.worker.idle()
  expect(await idleStatus(test.execution)).toMatchObject({ quiet: true, blockers: [], wakeups: [] })
})

it('what waits for a time is a wake-up, and quiet until then', async () => {
  const test = await setup()
  const at = '2026-03-12T13:00:00.000Z'
  await submitPrompt(test.execution, test.me, { text: 'Later', options: { scheduled_for: at } })
  await db.database.rows(sql`
    insert into provider_gate (provider, closed_until, updated_at)
    values ('another', timestamptz '2026-03-12T14:00:00Z', timestamptz '2026-03-12T12:00:00Z')`)
  const status = await idleStatus(test.execution)
  expect(status).toMatchObject({
    quiet: true,
    blockers: [],
    wakeups: [
      { kind: 'delayed-job', at },
      { kind: 'gate', at: '2026-03-12T14:00:00.000Z' },
    ],
  })
  expect(dutyOf(status, 'claim')).toMatchObject({ next_deadline: at, pending: 0 })
  test.clock.advance(61 * 60_000)
  expect(await idleStatus(test.execution)).toMatchObject({
    quiet: false,
    blockers: [{ kind: 'queued-job', since: at }],
    wakeups: [{ kind: 'gate' }],
  })
})

it('a job behind a closed gate or another prompt is no blocker', async () => {
  const test = await setup()
  const first = await submitPrompt(test.execution, test.me, { text: 'Ask' })
  await submitPrompt(test.execution, test.me, { text: 'And then?', parent_id: first.prompt_id })
  expect((await idleStatus(test.execution)).blockers).toHaveLength(1)
  await db.database.rows(sql`
    insert into provider_gate (provider, closed_until, updated_at)
    values ('scripted', timestamptz '2026-03-12T14:00:00Z', timestamptz '2026-03-12T12:00:00Z')`)
  expect(await idleStatus(test.execution)).toMatchObject({
    quiet: true,
    blockers: [],
    wakeups: [{ kind: 'gate' }],
  })
})

function dutyOf({ duties }: Awaited<ReturnType<typeof idleStatus>>, name: string) {
  return duties.find((duty) => duty.name === name)
}
