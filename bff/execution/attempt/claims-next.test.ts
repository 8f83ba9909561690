import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { failure } from '../../domain/failure.ts'
import { type TestDatabase, testDatabase } from '../../store/testing/test-database.ts'
import { cancelPrompt } from '../cancel-prompt.ts'
import { jobDetails } from '../operate-jobs.ts'
import { submitPrompt } from '../submit-prompt.ts'
import { interposedDatabase } from '../testing/interposed-database.ts'
import { testExecution } from '../testing/test-execution.ts'
import { createWorker } from './worker.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

/** One worker with one place that takes the next job by itself; counts committed transactions. */
async function setup() {
  const count = { transactions: 0 }
  const database = interposedDatabase(db.database, {
    after: (access) => {
      if (access === 'transaction') count.transactions += 1
    },
  })
  const test = testExecution(database, { concurrency: 1, orgConcurrency: 1 })
  const me = await test.person()
  const worker = createWorker(test.execution, { workerId: 'eager', concurrency: 1, claimsNext: true })
  const submit = (text: string) => submitPrompt(test.execution, me, { text })
  return { ...test, me, worker, submit, count }
}

it('a place that becomes free takes the next job in the transaction that frees it', async () => {
  const test = await setup()
  for (const text of ['one', 'two', 'three']) await test.submit(text)
  await test.worker.claimOnce()
  const before = test.count.transactions
  ;(await test.provider.call(0)).answer('1')
  ;(await test.provider.call(1)).fail({ failure: failure('auth', 'No key.') })
  ;(await test.provider.call(2)).answer('3')
  await test.worker.idle()
  expect(test.provider.calls.map((call) => call.request.turns.at(-1)?.text)).toEqual(['one', 'two', 'three'])
  expect(test.count.transactions - before).toBe(3)
  test.worker.close()
  expect(test.clock.armed).toBe(0)
})

it('what is cancelled is not taken, and a drain takes nothing more', async () => {
  const test = await setup()
  await test.submit('one')
  const cancelled = await test.submit('two')
  const last = await test.submit('three')
  await test.worker.claimOnce()
  await cancelPrompt(test.execution, test.me, cancelled.prompt_id)
  ;(await test.provider.call(0)).answer('1')
  const second = await test.provider.call(1)
  expect(second.request.turns.at(-1)?.text).toBe('three')
  await test.submit('four')
  const drained = test.worker.drain(0)
  test.clock.advance(0)
  await drained
  expect(test.provider.calls).toHaveLength(2)
  expect(await jobDetails(test.execution, last.job_id)).toMatchObject({ state: 'queued', run: 1, attempt: 1 })
  test.worker.close()
})

it('a cancel that is heard before the attempt has begun keeps the provider from being asked', async () => {
  const test = await setup()
  const { job_id } = await test.submit('one')
  test.execution.database.signals.publish([{ topic: 'job-cancelled', jobId: job_id }])
  await test.worker.claimOnce()
  await test.worker.idle()
  expect(test.provider.calls).toEqual([])
  test.worker.close()
})
