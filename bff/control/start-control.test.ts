import { sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { defaultDeadlines } from '../domain/deadlines.ts'
import { DomainError } from '../domain/errors.ts'
import { failure } from '../domain/failure.ts'
import type { Scope } from '../execution/context.ts'
import { jobDetails } from '../execution/operate-jobs.ts'
import { submitPrompt } from '../execution/submit-prompt.ts'
import { type AccessHooks, interposedDatabase } from '../execution/testing/interposed-database.ts'
import { type TestExecution, testExecution } from '../execution/testing/test-execution.ts'
import { turn, until } from '../execution/testing/until.ts'
import { type TestDatabase, testDatabase } from '../store/testing/test-database.ts'
import { type Control, type ControlOptions, startControl } from './start-control.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
const started: Control[] = []
beforeEach(() => db.truncate())
afterEach(() => Promise.all(started.splice(0).map((control) => control.stop())))
afterAll(() => db.close())

async function setup(hooks: AccessHooks = {}, concurrency = 8) {
  const test = testExecution(interposedDatabase(db.database, hooks), { concurrency })
  const me = await test.person()
  const running = await control(test)
  await quiet()
  return { ...test, me, control: running }
}

async function submit(test: TestExecution & { me: Scope }, text = 'Ask', options = {}): Promise<string> {
  return (await submitPrompt(test.execution, test.me, { text, options })).job_id
}

/** Ended after the test, however it ends: its loops would claim the jobs of the next one. */
async function control(
  test: TestExecution,
  options: ControlOptions = { reclaimFormerSelf: false },
  worker: TestExecution['worker'] | null = test.worker,
): Promise<Control> {
  const made = startControl(test.execution, worker, options)
  started.push(made)
  await made.ready
  return made
}

/** Until no statement has run for a while of turns: what was set off has come to its end. */
async function quiet(): Promise<void> {
  let before = -1
  for (let calm = 0; calm < 20; calm++) {
    await turn()
    const now = db.database.statementCount()
    if (now !== before) calm = 0
    before = now
  }
}

const inMs = (test: TestExecution, ms: number) => new Date(test.clock.now().getTime() + ms).toISOString()

describe('the claim loop', () => {
  it('claims what is submitted, and what waits when a place becomes free', async () => {
    const test = await setup({}, 1)
    await submit(test, 'one')
    const first = await test.provider.call(0)
    await submit(test, 'two')
    await quiet()
    expect(test.provider.calls).toHaveLength(1)
    first.answer('1')
    ;(await test.provider.call(1)).answer('2')
    await test.worker.idle()
    await test.control.stop()
    expect(test.clock.armed).toBe(0)
  })

  it('looks around once for all that the end of the last job says', async () => {
    const test = await setup()
    await submit(test)
    const call = await test.provider.call(0)
    await quiet()
    const before = db.database.statementCount()
    call.answer('Done')
    await test.worker.idle()
    await quiet()
    // Settling: BEGIN, the answer, its followers, COMMIT. Then an empty claim of three, and one look around;
    // the timer of the leases finds none left.
    expect(db.database.statementCount() - before).toBe(4 + 3 + 1 + 1)
  })

  it('claims a delayed job exactly at its time, and runs no statement until then', async () => {
    const test = await setup()
    const soon = inMs(test, 3_600_000)
    const later = inMs(test, 7_200_000)
    await submit(test, 'later', { scheduled_for: later })
    await submit(test, 'soon', { scheduled_for: soon })
    await quiet()
    const statements = db.database.statementCount()
    test.clock.advance(3_599_999)
    await quiet()
    expect(db.database.statementCount()).toBe(statements)
    expect(test.provider.calls).toHaveLength(0)
    test.clock.advance(1)
    const first = await test.provider.call(0)
    expect(first.request.turns.at(-1)?.text).toBe('soon')
    first.answer('Done')
    await test.worker.idle()
    await quiet()
    test.clock.advance(3_600_000)
    const second = await test.provider.call(1)
    expect(test.clock.now().toISOString()).toBe(later)
    second.answer('Done')
    await test.worker.idle()
  })

  it('gives a delayed job its turn although every place is always taken', async () => {
    const test = await setup({}, 1)
    const other = await test.person()
    for (const text of ['one', 'two', 'three', 'four']) await submit(test, text)
    await submit({ ...test, me: other }, 'due', { scheduled_for: inMs(test, 60_000) })
    const first = await test.provider.call(0)
    test.clock.advance(60_000)
    await quiet()
    test.clock.advance(1)
    await submit(test, 'after it')
    first.answer('1')
    for (const index of [1, 2, 3, 4, 5]) (await test.provider.call(index)).answer('Done')
    await test.worker.idle()
    const order = test.provider.calls.map((call) => call.request.turns.at(-1)?.text)
    expect(order).toEqual(['one', 'two', 'three', 'four', 'due', 'after it'])
  })

  it('takes a failed attempt up again when its backoff ends', async () => {
    const test = await setup()
    const jobId = await submit(test)
    ;(await test.provider.call(0)).fail({ failure: failure('timeout', 'Slow.') })
    await quiet()
    test.clock.advance(4_999)
    await quiet()
    expect(test.provider.calls).toHaveLength(1)
    test.clock.advance(1)
    ;(await test.provider.call(1)).answer('Done')
    await test.worker.idle()
    expect(await jobDetails(test.execution, jobId)).toMatchObject({ state: 'succeeded', run: 2 })
  })

  it('runs a job whose time comes while it looks for the next time', async () => {
    const step = { claimed: false, looked: false }
    const database = interposedDatabase(db.database, {
      after: (access) => {
        if (access === 'transaction') step.claimed = true
        else if (step.claimed && !step.looked) {
          step.looked = true
          test.clock.advance(20)
        }
      },
    })
    const test = testExecution(database)
    const me = await test.person()
    await submit({ ...test, me }, 'soon', { scheduled_for: inMs(test, 10) })
    step.claimed = false
    await control(test)
    ;(await test.provider.call(0)).answer('Done')
    await test.worker.idle()
  })

  it('loses no signal, whenever it comes', async () => {
    const publish = { afterTurns: -1 }
    const test = await setup({
      after: (access) => {
        if (access !== 'rows' || publish.afterTurns < 0) return
        const turns = publish.afterTurns
        publish.afterTurns = -1
        afterMicrotasks(turns, () => test.execution.database.signals.publish([{ topic: 'job-queued' }]))
      },
    })
    for (let turns = 0; turns < 30; turns++) {
      const before = db.database.statementCount()
      test.execution.database.signals.publish([{ topic: 'job-queued' }])
      await quiet()
      const once = db.database.statementCount() - before
      publish.afterTurns = turns
      test.execution.database.signals.publish([{ topic: 'job-queued' }])
      await quiet()
      expect(db.database.statementCount() - before, `after ${turns} microtasks`).toBe(3 * once)
    }
  })

  it('tries again a second after the database could not be reached', async () => {
    let refuse = 0
    const test = await setup({
      before: (access) => {
        if (access !== 'transaction' || refuse === 0) return
        refuse -= 1
        throw new DomainError('database_unavailable', 'Gone.')
      },
    })
    refuse = 1
    test.execution.database.signals.publish([{ topic: 'job-queued' }])
    await until(() => refuse === 0)
    await quiet()
    const jobs = testExecution(db.database, {}, { clock: test.clock })
    await submitPrompt(jobs.execution, test.me, { text: 'Ask' })
    test.clock.advance(1_000)
    ;(await test.provider.call(0)).answer('Done')
    await test.worker.idle()
  })

  it('claims nothing once it is stopped', async () => {
    const test = await setup()
    await submit(test, 'later', { scheduled_for: inMs(test, 1_000) })
    await quiet()
    await test.control.stop()
    await submit(test, 'now')
    test.clock.advance(10_000)
    await quiet()
    expect(test.provider.calls).toEqual([])
    expect(test.clock.armed).toBe(0)
  })
})

describe('the reclaim timer', () => {
  it('takes a dead worker’s job back exactly at the end of its lease, and it runs', async () => {
    const test = await setup()
    const other = testExecution(db.database, {}, { clock: test.clock, workerId: 'other' })
    await test.control.stop()
    const jobId = await submit(test)
    await other.worker.claimOnce()
    await other.provider.call(0)
    other.worker.close()
    await control(test)
    await quiet()
    // The other worker is dead: its heartbeat timer is gone with it.
    test.clock.advance(defaultDeadlines.leaseMs - 1)
    await quiet()
    expect(await jobDetails(test.execution, jobId)).toMatchObject({ state: 'running', run: 1 })
    test.clock.advance(1)
    ;(await test.provider.call(0)).answer('Done')
    await test.worker.idle()
    expect(await jobDetails(test.execution, jobId)).toMatchObject({ state: 'succeeded', run: 2, attempt: 2 })
  })

  it('leaves a worker alone that beats, however long it runs', async () => {
    const test = await setup()
    const jobId = await submit(test)
    const call = await test.provider.call(0)
    await quiet()
    for (let beats = 0; beats < 25; beats++) {
      test.clock.advance(defaultDeadlines.heartbeatMs)
      await quiet()
    }
    call.answer('Done')
    await test.worker.idle()
    expect(await jobDetails(test.execution, jobId)).toMatchObject({ state: 'succeeded', run: 1 })
  })

  it('leaves nothing armed once nothing runs: an idle hour costs no statement', async () => {
    const test = await setup()
    await submit(test)
    ;(await test.provider.call(0)).answer('Done')
    await test.worker.idle()
    await submit(test, 'later', { scheduled_for: inMs(test, 7_200_000) })
    await quiet()
    const statements = db.database.statementCount()
    test.clock.advance(3_600_000)
    await quiet()
    expect(db.database.statementCount()).toBe(statements)
    expect(test.clock.armed).toBe(1)
    await test.control.stop()
    expect(test.clock.armed).toBe(0)
  })
})

describe('a start', () => {
  it('takes back at once what its former self held', async () => {
    const former = testExecution(db.database)
    const me = await former.person()
    const { job_id } = await submitPrompt(former.execution, me, { text: 'Ask' })
    await former.worker.claimOnce()
    await former.provider.call(0)
    const test = testExecution(db.database, {}, { workerId: 'after the restart' })
    await control(test, { reclaimFormerSelf: true })
    ;(await test.provider.call(0)).answer('Done')
    await test.worker.idle()
    expect(await jobDetails(test.execution, job_id)).toMatchObject({ state: 'succeeded', run: 2, attempt: 2 })
  })

  it('without a worker reclaims all the same, and claims nothing', async () => {
    const test = testExecution(db.database)
    const me = await test.person()
    await submitPrompt(test.execution, me, { text: 'Ask' })
    await test.worker.claimOnce()
    await control(test, { reclaimFormerSelf: true }, null)
    await quiet()
    const [job] = await db.database.rows<{ state: string }>(sql`select state from job`)
    expect(job?.state).toBe('queued')
  })
})

function afterMicrotasks(count: number, run: () => void): void {
  if (count === 0) run()
  else queueMicrotask(() => afterMicrotasks(count - 1, run))
}
