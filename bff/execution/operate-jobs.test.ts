import { v7 as uuidV7 } from 'uuid'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { failure } from '../domain/failure.ts'
import { type TestDatabase, testDatabase } from '../store/testing/test-database.ts'
import { readPrompt } from './observe/read-prompt.ts'
import { cancelJob, jobDetails, listJobs, reclaimStuckJobs, retryJob } from './operate-jobs.ts'
import { runPrompt } from './run-prompt.ts'
import { submitPrompt } from './submit-prompt.ts'
import { testExecution } from './testing/test-execution.ts'
import { until } from './testing/until.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

async function setup() {
  const test = testExecution(db.database)
  const me = await test.person()
  const submit = async (text: string) => (await submitPrompt(test.execution, me, { text })).job_id
  return { ...test, me, submit }
}

describe('a list of jobs', () => {
  it('is of any org, newest first, filtered by state, org and time', async () => {
    const test = await setup()
    const stranger = await test.person()
    const first = await test.submit('  First\n prompt ')
    test.clock.advance(1_000)
    const since = test.clock.now()
    const second = (await submitPrompt(test.execution, stranger, { text: 'Second' })).job_id
    await cancelJob(test.execution, second, 'an operator')
    const ids = async (filter: Parameters<typeof listJobs>[1]) =>
      (await listJobs(test.execution, filter)).map((job) => job.job_id)
    expect(await ids({})).toEqual([second, first])
    expect(await ids({ limit: 1 })).toEqual([second])
    expect(await ids({ state: 'queued' })).toEqual([first])
    expect(await ids({ orgId: stranger.orgId })).toEqual([second])
    expect(await ids({ since })).toEqual([second])
    expect((await listJobs(test.execution, { state: 'queued' }))[0]).toMatchObject({
      prompt: 'First prompt',
      state: 'queued',
      worker_id: null,
      created_at: '2026-03-12T12:00:00.000Z',
    })
  })
})

describe('an operator', () => {
  it('sees what happened to a job, in order, and by whom', async () => {
    const test = await setup()
    const jobId = await test.submit('Ask')
    await test.worker.claimOnce()
    ;(await test.provider.call(0)).fail({ failure: failure('timeout', 'Slow.') })
    await test.worker.idle()
    await cancelJob(test.execution, jobId, 'operator ann')
    const job = await jobDetails(test.execution, jobId)
    expect(job.events.map(({ kind, run }) => ({ kind, run }))).toEqual([
      { kind: 'job-queued', run: 0 },
      { kind: 'job-claimed', run: 1 },
      { kind: 'attempt-failed', run: 1 },
      { kind: 'job-cancelled', run: 1 },
    ])
    expect(job.events[0]?.data.actor).toBe(test.me.personId)
    expect(job.events[1]?.data.actor).toBe('test-worker')
    expect(job.events.at(-1)?.data).toMatchObject({ actor: 'operator ann', from: 'queued', to: 'cancelled' })
    expect(job.events.map((event) => event.at)).toEqual(job.events.map((event) => event.at).toSorted())
  })

  it('retries and cancels anybody’s job, once', async () => {
    const test = await setup()
    const jobId = await test.submit('Ask')
    expect((await cancelJob(test.execution, jobId, 'ann')).state).toBe('cancelled')
    const retried = await retryJob(test.execution, jobId, 'ann')
    expect(retried).toMatchObject({ state: 'queued', attempt: 1 })
    expect((await jobDetails(test.execution, retried.job_id)).supersedes).toBe(jobId)
    await expect(retryJob(test.execution, jobId, 'ann')).rejects.toMatchObject({
      code: 'state_conflict',
      details: { state: 'queued', job_id: retried.job_id },
    })
    await expect(cancelJob(test.execution, jobId, 'ann')).rejects.toMatchObject({
      code: 'state_conflict',
      details: { state: 'superseded' },
    })
  })

  it('is told of a job that is not there', async () => {
    const test = await setup()
    for (const act of [cancelJob, retryJob, jobDetails]) {
      await expect(act(test.execution, uuidV7(), 'ann')).rejects.toMatchObject({ code: 'not_found' })
    }
  })

  it('takes back more than a hundred stuck jobs in one go', async () => {
    const test = testExecution(db.database, { concurrency: 120, orgConcurrency: 120 })
    const me = await test.person()
    await Promise.all(Array.from({ length: 120 }, () => submitPrompt(test.execution, me, { text: 'Ask' })))
    await test.worker.claimOnce()
    await until(() => test.provider.calls.length === 120)
    expect(await reclaimStuckJobs(test.execution)).toEqual({ requeued: [], failed: [] })
    const { requeued, failed } = await reclaimStuckJobs(test.execution, true)
    expect([new Set(requeued).size, failed.length]).toEqual([120, 0])
    for (const call of test.provider.calls) call.answer('Too late')
    await test.worker.idle()
    expect(await listJobs(test.execution, { state: 'succeeded' })).toEqual([])
  })
})

describe('a prompt that is run and waited for', () => {
  it('comes back with its answer', async () => {
    const test = await setup()
    const running = runPrompt(test.execution, test.me, { text: 'Ask' })
    await until(async () => (await test.worker.claimOnce()).claimed === 1)
    ;(await test.provider.call(0)).answer('Done')
    expect(await running).toMatchObject({ answer: { text: 'Done' }, view: { state: 'succeeded' } })
  })

  it('is not ended by giving up the wait', async () => {
    const test = await setup()
    const patience = new AbortController()
    const running = runPrompt(test.execution, test.me, { text: 'Ask' }, patience.signal)
    await until(async () => (await test.worker.claimOnce()).claimed === 1)
    const call = await test.provider.call(0)
    patience.abort(new Error('no patience'))
    await expect(running).rejects.toThrow('no patience')
    expect(call.options.signal.aborted).toBe(false)
    call.answer('Done')
    await test.worker.idle()
    const [job] = await listJobs(test.execution, {})
    expect((await readPrompt(test.execution, test.me, job?.prompt_id ?? '')).answer?.text).toBe('Done')
  })
})

// R023
describe('work beside the answer', () => {
  it('that throws does not keep the prompt from being done', async () => {
    const test = await setup()
    const leave = test.execution.liveDrafts.subscribe(() => {
      throw new Error('a side task broke')
    })
    const jobId = await test.submit('Ask')
    await test.worker.claimOnce()
    const call = await test.provider.call(0)
    expect(() => call.options.onDelta('so far')).not.toThrow()
    call.answer('Done')
    await test.worker.idle()
    expect((await jobDetails(test.execution, jobId)).state).toBe('succeeded')
    leave()
  })
})
