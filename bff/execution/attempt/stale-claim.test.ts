import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { DomainError } from '../../domain/errors.ts'
import { failure } from '../../domain/failure.ts'
import { everythingWritten } from '../../store/testing/everything-written.ts'
import { type TestDatabase, testDatabase } from '../../store/testing/test-database.ts'
import { readPrompt } from '../observe/read-prompt.ts'
import { jobDetails, reclaimStuckJobs } from '../operate-jobs.ts'
import { submitPrompt } from '../submit-prompt.ts'
import { type AccessHooks, interposedDatabase } from '../testing/interposed-database.ts'
import type { ScriptedCall } from '../testing/scripted-provider.ts'
import { testExecution } from '../testing/test-execution.ts'
import { turn, until } from '../testing/until.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

/**
 * One worker that holds two claims of one job: its heartbeats did not reach the database, the lease lapsed by the
 * test's clock, the job went back to the queue, and the worker took it again.
 */
async function twoClaims() {
  const hooks: AccessHooks = {}
  const test = testExecution(interposedDatabase(db.database, hooks))
  const { clock, execution, provider, worker } = test
  const me = await test.person()
  const { prompt_id, job_id } = await submitPrompt(execution, me, { text: 'Ask' })
  await worker.claimOnce()
  const old = await provider.call(0)
  await new Promise<void>((unheard) => {
    hooks.before = (access) => {
      if (access !== 'rows') return
      unheard()
      throw new DomainError('database_unavailable', 'Gone.')
    }
    clock.advance(execution.settings.deadlines.leaseMs)
  })
  delete hooks.before
  expect(await reclaimStuckJobs(execution)).toEqual({ requeued: [job_id], failed: [] })
  expect((await worker.claimOnce()).claimed).toBe(1)
  const young = await provider.call(1)
  expect(worker.running).toBe(2)
  return { clock, execution, worker, me, promptId: prompt_id, jobId: job_id, old, young }
}

const lateEnds: [how: string, end: (call: ScriptedCall) => void][] = [
  ['answers', (call) => call.answer('Late.', { requestId: 'r1' })],
  ['fails for good', (call) => call.fail({ failure: failure('provider_4xx', 'No.') })],
  ['fails and would be tried again', (call) => call.fail({ failure: failure('timeout', 'Slow.') })],
  [
    'is told to wait',
    (call) => call.fail({ failure: failure('rate_limit', 'Later.', { retryAfterMs: 60_000 }) }),
  ],
]

describe('a worker with an old and a new claim of one job', () => {
  it.each(lateEnds)('writes nothing for the old one when it %s, and settles the new one', async (_, end) => {
    const { execution, worker, me, promptId, jobId, old, young } = await twoClaims()
    const before = await everythingWritten(db.database)
    end(old)
    await until(() => worker.running === 1)
    expect(await everythingWritten(db.database)).toEqual(before)

    young.answer('Second.', { requestId: 'r2' })
    await worker.idle()
    const job = await jobDetails(execution, jobId)
    expect((await readPrompt(execution, me, promptId)).answer?.text).toBe('Second.')
    expect(job).toMatchObject({ state: 'succeeded', run: 2, attempt: 2, error_kind: null })
    expect(job.ledger.map(({ run, error_kind }) => [run, error_kind])).toEqual([
      [1, 'worker_crash'],
      [2, null],
    ])
    expect(job.events.filter(({ kind }) => kind === 'job-succeeded')).toHaveLength(1)
  })

  it('writes nothing for the old one after the new one has settled', async () => {
    const { worker, old, young } = await twoClaims()
    young.answer('Second.', { requestId: 'r2' })
    await until(() => worker.running === 1)
    const before = await everythingWritten(db.database)
    old.answer('Late.', { requestId: 'r1' })
    await worker.idle()
    expect(await everythingWritten(db.database)).toEqual(before)
  })

  it('stores no text of the old one, and ends its call', async () => {
    const { clock, worker, old, young } = await twoClaims()
    const before = await everythingWritten(db.database)
    old.options.onDelta('late text')
    clock.advance(1_000)
    await until(() => old.options.signal.aborted)
    await until(() => worker.running === 1)
    expect(await everythingWritten(db.database)).toEqual(before)
    expect(young.options.signal.aborted).toBe(false)
    young.answer('Second.')
    await worker.idle()
  })

  it('ends the old call, and only that one, at its next heartbeat', async () => {
    const { clock, execution, worker, old, young } = await twoClaims()
    clock.advance(execution.settings.deadlines.heartbeatMs)
    await until(() => old.options.signal.aborted)
    await until(() => worker.running === 1)
    await turn()
    expect(young.options.signal.aborted).toBe(false)
    young.answer('Second.')
    await worker.idle()
  })
})
