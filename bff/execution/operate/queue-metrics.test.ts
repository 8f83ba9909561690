import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { failure } from '../../domain/failure.ts'
import { type TestDatabase, testDatabase } from '../../store/testing/test-database.ts'
import type { Scope } from '../context.ts'
import { cancelJob, retryJob } from '../operate-jobs.ts'
import { submitPrompt } from '../submit-prompt.ts'
import { testExecution } from '../testing/test-execution.ts'
import { queueMetrics } from './queue-metrics.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

async function setup() {
  const test = testExecution(db.database)
  const me = await test.person()
  let calls = 0
  const submit = async (who: Scope = me) =>
    (await submitPrompt(test.execution, who, { text: 'Ask', options: { max_attempts: 1 } })).job_id
  /** Waits, runs for so long each, and is answered or fails. */
  const run = async (waitMs: number, runMs: number, failed = false, who: Scope = me): Promise<string> => {
    const jobId = await submit(who)
    test.clock.advance(waitMs)
    await test.worker.claimOnce()
    const call = await test.provider.call(calls++)
    test.clock.advance(runMs)
    if (failed) call.fail({ failure: failure('auth', 'No key.') })
    else call.answer('Done')
    await test.worker.idle()
    return jobId
  }
  return { ...test, me, submit, run }
}

it('says how long jobs waited, ran and took, by org and in all', async () => {
  const test = await setup()
  const other = await test.person()
  await test.run(1_000, 10_000)
  await test.run(3_000, 20_000)
  await test.run(2_000, 30_000)
  await test.run(50_000, 60_000, false, other)
  const { all, orgs } = await queueMetrics(test.execution)
  const mine = orgs.find((org) => org.org_id === test.me.orgId)
  expect(mine).toMatchObject({
    org_name: 'Org',
    finished: 3,
    queued_to_started: { p50: 2_000, p95: 3_000, p99: 3_000 },
    started_to_finished: { p50: 20_000, p95: 30_000, p99: 30_000 },
    whole: { p50: 23_000, p95: 32_000, p99: 32_000 },
  })
  expect(all).toMatchObject({ org_id: null, finished: 4, whole: { p99: 110_000 } })
  const narrowed = await queueMetrics(test.execution, { orgId: other.orgId })
  expect(narrowed.orgs.map((org) => org.org_id)).toEqual([other.orgId])
  expect(narrowed.all).toMatchObject({ finished: 1, whole: { p50: 110_000 } })
})

it('counts states, failures by kind, attempts, permits, and what has waited longest', async () => {
  const test = await setup()
  await test.run(0, 0)
  await test.run(0, 0, true)
  const replaced = await test.run(0, 0, true)
  test.clock.advance(1_000)
  await retryJob(test.execution, replaced, 'ann')
  await cancelJob(test.execution, await test.submit(), 'ann')
  test.clock.advance(90_000)
  await test.submit()
  const metrics = await queueMetrics(test.execution)
  expect(metrics.all).toMatchObject({
    queued: 2,
    running: 0,
    permits: 2,
    finished: 4,
    succeeded: 1,
    failed: 2,
    cancelled: 1,
    superseded: 1,
    failure_rate: 0.5,
    attempts_mean: 1,
    attempts_max: 1,
  })
  expect(metrics.errors).toEqual([{ error_kind: 'auth', jobs: 2, rate: 0.5 }])
  expect(metrics.oldest_waiting).toMatchObject({ org_id: test.me.orgId, waiting_ms: 90_000 })
  expect(metrics.gates).toEqual([])
  await db.database.rows(sql`
    insert into provider_gate (provider, closed_until, updated_at)
    values ('scripted', timestamptz '2026-03-12T13:00:00Z', timestamptz '2026-03-12T12:00:00Z')`)
  expect((await queueMetrics(test.execution)).gates).toEqual([
    { provider: 'scripted', closed_until: '2026-03-12T13:00:00.000Z', probing: false },
  ])
})

it('leaves out what ended before, a day by default', async () => {
  const test = await setup()
  await test.run(0, 1_000)
  const since = test.clock.now()
  test.clock.advance(23 * 60 * 60_000)
  await test.run(0, 5_000)
  expect((await queueMetrics(test.execution)).all.finished).toBe(2)
  test.clock.advance(2 * 60 * 60_000)
  expect((await queueMetrics(test.execution)).all).toMatchObject({ finished: 1, whole: { p50: 5_000 } })
  expect((await queueMetrics(test.execution, { since })).all.finished).toBe(2)
})

it('of an empty queue is zeros and no latencies', async () => {
  const test = await setup()
  expect(await queueMetrics(test.execution)).toMatchObject({
    all: { queued: 0, finished: 0, failure_rate: null, attempts_mean: null, whole: null },
    orgs: [],
    errors: [],
    oldest_waiting: null,
  })
})
