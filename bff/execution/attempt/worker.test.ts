import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { defaultDeadlines } from '../../domain/deadlines.ts'
import { DomainError } from '../../domain/errors.ts'
import { failure } from '../../domain/failure.ts'
import { type TestDatabase, testDatabase } from '../../store/testing/test-database.ts'
import { cancelPrompt } from '../cancel-prompt.ts'
import type { ExecutionSettings, Scope } from '../context.ts'
import { readPrompt } from '../observe/read-prompt.ts'
import { jobDetails, reclaimStuckJobs } from '../operate-jobs.ts'
import { submitPrompt } from '../submit-prompt.ts'
import { interposedDatabase } from '../testing/interposed-database.ts'
import { type TestExecution, testExecution } from '../testing/test-execution.ts'
import { turn, until } from '../testing/until.ts'
import { createWorker } from './worker.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

async function setup(settings: Partial<ExecutionSettings> = {}, database = db.database) {
  const test = testExecution(database, settings)
  const me = await test.person()
  return { ...test, me }
}

async function submit(test: TestExecution & { me: Scope }, text = 'Ask', options = {}) {
  const { prompt_id, job_id } = await submitPrompt(test.execution, test.me, { text, options })
  return { promptId: prompt_id, jobId: job_id }
}

const details = (test: TestExecution, jobId: string) => jobDetails(test.execution, jobId)

describe('a worker', () => {
  it('runs as many at once as it has places, and claims more when one is free', async () => {
    const test = await setup({ concurrency: 2 })
    for (const text of ['one', 'two', 'three']) await submit(test, text)
    expect(await test.worker.claimOnce()).toMatchObject({ claimed: 2, full: true })
    expect(await test.worker.claimOnce()).toMatchObject({ claimed: 0, full: false })
    const freed = new Promise<void>((resolve) => test.worker.onFree(resolve))
    ;(await test.provider.call(0)).answer('1')
    await freed
    expect(test.worker.running).toBe(1)
    expect(await test.worker.claimOnce()).toMatchObject({ claimed: 1, full: true })
    ;(await test.provider.call(1)).answer('2')
    ;(await test.provider.call(2)).answer('3')
    await test.worker.idle()
    expect(test.provider.calls.map((call) => call.request.turns.at(-1)?.text)).toEqual([
      'one',
      'two',
      'three',
    ])
    expect(test.clock.armed).toBe(0)
  })

  it('takes no more at once than its batch, and nothing of a higher priority than its ceiling', async () => {
    const test = await setup()
    const worker = createWorker(test.execution, {
      workerId: 'cron',
      concurrency: 8,
      batchSize: 1,
      priorityCeiling: 50,
    })
    await submit(test, 'patient', { priority: 60 })
    for (const text of ['one', 'two']) await submit(test, text)
    expect(await worker.claimOnce()).toMatchObject({ claimed: 1, full: true })
    expect(await worker.claimOnce()).toMatchObject({ claimed: 1, full: true })
    expect(await worker.claimOnce()).toMatchObject({ claimed: 0, full: false })
    for (const index of [0, 1]) (await test.provider.call(index)).answer('Done')
    await worker.idle()
    worker.close()
  })

  it('beats for what it holds and leaves no timer once it holds nothing', async () => {
    const test = await setup()
    const { jobId } = await submit(test)
    await test.worker.claimOnce()
    const call = await test.provider.call(0)
    test.clock.advance(defaultDeadlines.heartbeatMs)
    await beatWritten(test, jobId)
    call.answer('Done')
    await test.worker.idle()
    expect(test.clock.armed).toBe(0)
  })

  it('aborts the call and writes nothing once its claim is lost', async () => {
    const test = await setup()
    const { jobId } = await submit(test)
    await test.worker.claimOnce()
    const call = await test.provider.call(0)
    const other = testExecution(db.database, {}, { clock: test.clock, workerId: 'another' })
    await reclaimStuckJobs(other.execution, true)
    test.clock.advance(defaultDeadlines.heartbeatMs)
    await aborted(call.options.signal)
    await test.worker.idle()
    expect(await details(test, jobId)).toMatchObject({ state: 'queued', run: 1, ledger: [{ run: 1 }] })
    expect(test.clock.armed).toBe(0)
  })
})

describe('a cancel of a running prompt', () => {
  // R027
  it('aborts the provider’s call at once and frees the place', async () => {
    const test = await setup({ concurrency: 1 })
    const { promptId } = await submit(test, 'first')
    await submit(test, 'second')
    await test.worker.claimOnce()
    const call = await test.provider.call(0)
    const freed = new Promise<void>((resolve) => test.worker.onFree(resolve))
    await cancelPrompt(test.execution, test.me, promptId)
    expect(call.options.signal.aborted).toBe(true)
    await freed
    await test.worker.claimOnce()
    const next = await test.provider.call(1)
    expect(next.request.turns).toEqual([{ role: 'user', text: 'second' }])
    next.answer('Done')
    await test.worker.idle()
    expect(test.clock.armed).toBe(0)
  })

  // R033
  it('stands when the answer arrives late, from a provider that ignores the abort', async () => {
    const test = await setup()
    const late = ignoringProvider(test)
    const { promptId, jobId } = await submit(test)
    await test.worker.claimOnce()
    const answer = await late
    await cancelPrompt(test.execution, test.me, promptId)
    answer('Too late')
    await test.worker.idle()
    const detail = await readPrompt(test.execution, test.me, promptId)
    expect(detail).toMatchObject({ view: { state: 'cancelled', response_id: null }, answer: null })
    expect((await details(test, jobId)).ledger).toHaveLength(1)
    expect(test.clock.armed).toBe(0)
  })

  it('does not keep the place of a provider that never lets go', async () => {
    const test = await setup()
    const late = ignoringProvider(test)
    const { promptId } = await submit(test)
    await test.worker.claimOnce()
    await late
    await cancelPrompt(test.execution, test.me, promptId)
    test.clock.advance(2_000)
    await test.worker.idle()
    expect(test.worker.running).toBe(0)
  })

  it('between the answer and its writing leaves nothing behind', async () => {
    let cancelNow: (() => Promise<unknown>) | null = null
    const database = interposedDatabase(db.database, {
      before: async (access) => {
        const cancel = access === 'transaction' ? cancelNow : null
        if (cancel) cancelNow = null
        await cancel?.()
      },
    })
    const test = await setup({}, database)
    const { promptId } = await submit(test)
    await test.worker.claimOnce()
    const call = await test.provider.call(0)
    cancelNow = () => cancelPrompt(test.execution, test.me, promptId)
    call.answer('Just too late')
    await test.worker.idle()
    const detail = await readPrompt(test.execution, test.me, promptId)
    expect(detail).toMatchObject({ view: { state: 'cancelled' }, answer: null })
    expect(test.clock.armed).toBe(0)
  })
})

describe('a drain', () => {
  it('lets what ends in time end, hands the rest back uncounted and claims no more', async () => {
    const test = await setup()
    const quick = await submit(test, 'quick')
    const slow = await submit(test, 'slow')
    await test.worker.claimOnce()
    const [first, second] = [await test.provider.call(0), await test.provider.call(1)]
    const drained = test.worker.drain(8_000)
    first.answer('In time')
    await state(test, quick.jobId, 'succeeded')
    expect(second.options.signal.aborted).toBe(false)
    test.clock.advance(2_000)
    await drained
    expect(await details(test, slow.jobId)).toMatchObject({
      state: 'queued',
      attempt: 1,
      run: 1,
      error_kind: null,
      ledger: [{ run: 1, counted: false }],
    })
    expect(await test.worker.claimOnce()).toMatchObject({ claimed: 0, full: false })
    expect(test.clock.armed).toBe(0)
  })

  it('hands back too what throws when it is aborted', async () => {
    const test = await setup()
    const thrower = throwingProvider(test)
    const { jobId } = await submit(test)
    await test.worker.claimOnce()
    await thrower
    const drained = test.worker.drain(0)
    test.clock.advance(0)
    await drained
    expect(await details(test, jobId)).toMatchObject({
      state: 'queued',
      attempt: 1,
      ledger: [{ counted: false }],
    })
  })
})

describe('the ceiling', () => {
  it('ends an attempt as a timeout, at its time by the clock', async () => {
    const test = await setup({ deadlines: { ...defaultDeadlines, ceilingMs: 60_000 } })
    const { jobId } = await submit(test)
    await test.worker.claimOnce()
    const call = await test.provider.call(0)
    expect(call.request.limits).toEqual({ firstTokenMs: 180_000, silenceMs: 180_000, totalMs: 60_000 })
    test.clock.advance(59_999)
    expect(call.options.signal.aborted).toBe(false)
    test.clock.advance(1)
    await test.worker.idle()
    expect(await details(test, jobId)).toMatchObject({
      state: 'queued',
      attempt: 2,
      error_kind: 'timeout',
      ledger: [{ run: 1, counted: true, error_kind: 'timeout', run_ms: 60_000 }],
    })
  })

  it('is a timeout too for a provider that throws when it is aborted', async () => {
    const test = await setup({ deadlines: { ...defaultDeadlines, ceilingMs: 60_000 } })
    const thrower = throwingProvider(test)
    const { jobId } = await submit(test)
    await test.worker.claimOnce()
    await thrower
    test.clock.advance(60_000)
    await test.worker.idle()
    expect((await details(test, jobId)).error_kind).toBe('timeout')
  })
})

describe('failed attempts', () => {
  it('are tried again after their backoff; success leaves no error, and the ledger tells each run', async () => {
    const test = await setup()
    const { promptId, jobId } = await submit(test)
    for (const [run, waitMs] of [5_000, 25_000].entries()) {
      await test.worker.claimOnce()
      ;(await test.provider.call(run)).fail({ failure: failure('provider_5xx', 'Busy.') })
      await test.worker.idle()
      test.clock.advance(waitMs - 1)
      expect((await test.worker.claimOnce()).claimed).toBe(0)
      test.clock.advance(1)
    }
    await test.worker.claimOnce()
    ;(await test.provider.call(2)).answer('At last', { inputTokens: 4, outputTokens: 2, requestId: 'req-3' })
    await test.worker.idle()
    const job = await details(test, jobId)
    expect(job).toMatchObject({
      state: 'succeeded',
      error_kind: null,
      error_message: null,
      attempt: 3,
      run: 3,
    })
    expect(job.ledger).toMatchObject([
      { run: 1, attempt: 1, counted: true, error_kind: 'provider_5xx', error_message: 'Busy.' },
      { run: 2, attempt: 2, counted: true, error_kind: 'provider_5xx' },
      {
        run: 3,
        attempt: 3,
        error_kind: null,
        finish_reason: 'stop',
        adapter_request_id: 'req-3',
        output_tokens: 2,
      },
    ])
    expect(test.provider.calls.map((call) => call.request.attempt)).toEqual([1, 2, 3])
    expect((await readPrompt(test.execution, test.me, promptId)).answer?.text).toBe('At last')
  })

  it('use up the budget, and then the prompt has failed', async () => {
    const test = await setup()
    const { jobId } = await submit(test, 'Ask', { max_attempts: 2 })
    for (const run of [0, 1]) {
      await test.worker.claimOnce()
      ;(await test.provider.call(run)).fail({ failure: failure('timeout', 'Slow.') })
      await test.worker.idle()
      test.clock.advance(600_000)
    }
    expect(await details(test, jobId)).toMatchObject({ state: 'failed', error_kind: 'timeout', attempt: 2 })
    expect((await test.worker.claimOnce()).claimed).toBe(0)
  })

  it('by a rate limit spend nothing, as long as the provider says', async () => {
    const test = await setup({ backoffScale: 0.001 })
    const { jobId } = await submit(test, 'Ask', { max_attempts: 1 })
    for (const run of [0, 1, 2]) {
      await test.worker.claimOnce()
      const limited = failure('rate_limit', 'Slow down.', { retryAfterMs: 30_000 })
      ;(await test.provider.call(run)).fail({ failure: limited })
      await test.worker.idle()
      expect(await details(test, jobId)).toMatchObject({
        state: 'queued',
        attempt: 1,
        error_kind: 'rate_limit',
      })
      test.clock.advance(29_999)
      expect((await test.worker.claimOnce()).claimed).toBe(0)
      test.clock.advance(1)
    }
    await test.worker.claimOnce()
    ;(await test.provider.call(3)).answer('Done')
    await test.worker.idle()
    const job = await details(test, jobId)
    expect(job).toMatchObject({ state: 'succeeded', attempt: 1, run: 4, error_kind: null })
    expect(job.ledger.map((run) => run.counted)).toEqual([false, false, false, true])
  })

  it('that are the provider’s fault for good are not tried again', async () => {
    const test = await setup()
    const { jobId } = await submit(test)
    await test.worker.claimOnce()
    ;(await test.provider.call(0)).fail({ failure: failure('auth', 'No key.'), requestId: 'req-1' })
    await test.worker.idle()
    expect(await details(test, jobId)).toMatchObject({
      state: 'failed',
      error_kind: 'auth',
      error_message: 'No key.',
      ledger: [{ adapter_request_id: 'req-1' }],
    })
  })

  it('by a provider that throws are of kind unknown, tried again, and say nothing of the error', async () => {
    const test = await setup()
    test.provider.run = () => {
      throw new Error('secret sk-123 in a stack')
    }
    const { jobId } = await submit(test)
    await test.worker.claimOnce()
    await test.worker.idle()
    const job = await details(test, jobId)
    expect(job).toMatchObject({ state: 'queued', attempt: 2, error_kind: 'unknown' })
    expect(JSON.stringify(job)).not.toContain('sk-123')
  })
})

describe('an answer that cannot be written', () => {
  it('is written once the database can be reached again', async () => {
    let lost = 0
    const database = interposedDatabase(db.database, {
      before: (access) => {
        if (access !== 'transaction' || lost === 0) return
        lost -= 1
        throw new DomainError('database_unavailable', 'The database cannot be reached.')
      },
    })
    const test = await setup({}, database)
    const { jobId } = await submit(test)
    await test.worker.claimOnce()
    const call = await test.provider.call(0)
    lost = 3
    call.answer('Paid for')
    for (let left = 2; left >= 0; left--) {
      await until(() => lost === left)
      await turn()
      test.clock.advance(250)
    }
    await test.worker.idle()
    expect(await details(test, jobId)).toMatchObject({ state: 'succeeded', run: 1 })
    expect(test.clock.armed).toBe(0)
  })

  it('is given up when the lease has ended: somebody else may hold the job by then', async () => {
    let refused = -1
    const database = interposedDatabase(db.database, {
      before: (access) => {
        if (access !== 'transaction' || refused < 0) return
        refused += 1
        throw new DomainError('database_unavailable', 'Gone.')
      },
    })
    const test = await setup({}, database)
    const { jobId } = await submit(test)
    await test.worker.claimOnce()
    const call = await test.provider.call(0)
    refused = 0
    call.answer('Paid for')
    await until(() => refused === 1)
    await turn()
    test.clock.advance(defaultDeadlines.leaseMs)
    await test.worker.idle()
    expect(await details(test, jobId)).toMatchObject({ state: 'running', ledger: [] })
  })
})

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve())
  })
}

/** Makes the provider deaf to its signal; resolves with the way to answer its first call. */
function ignoringProvider(test: TestExecution): Promise<(text: string) => void> {
  return new Promise((called) => {
    test.provider.run = ({ model }) =>
      new Promise((resolve) => {
        const rest = {
          finishReason: 'stop',
          model,
          requestId: null,
          inputTokens: null,
          outputTokens: null,
        } as const
        called((text) => resolve({ ok: true, text, ...rest }))
      })
  })
}

/** Makes the provider throw when its signal aborts; resolves when it is called. */
function throwingProvider(test: TestExecution): Promise<void> {
  return new Promise((called) => {
    test.provider.run = (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')))
        called()
      })
  })
}

const state = (test: TestExecution, jobId: string, wanted: string) =>
  until(async () => (await details(test, jobId)).state === wanted)

const beatWritten = (test: TestExecution, jobId: string) =>
  until(async () => (await details(test, jobId)).running_heartbeat_at === test.clock.now().toISOString())
