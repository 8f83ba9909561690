import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { failure } from '../../domain/failure.ts'
import { type TestDatabase, testDatabase } from '../../store/testing/test-database.ts'
import { readPrompt } from '../observe/read-prompt.ts'
import { jobDetails, reclaimStuckJobs } from '../operate-jobs.ts'
import { submitPrompt } from '../submit-prompt.ts'
import { type AccessHooks, dead, interposedDatabase } from '../testing/interposed-database.ts'
import type { ScriptedCall } from '../testing/scripted-provider.ts'
import { type TestExecution, testExecution } from '../testing/test-execution.ts'
import { until } from '../testing/until.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

/** Brings the attempt to the gap and lets the process die there: it never does what comes next. */
type Crash = (first: TestExecution, hooks: AccessHooks) => Promise<void>

/** Sets `hook` so that the next access of its kind is where the process dies; resolves when it has. */
function diesAt(hooks: AccessHooks, side: 'before' | 'after', access: 'rows' | 'transaction'): Promise<void> {
  return new Promise((died) => {
    hooks[side] = (kind) => {
      if (kind !== access) return
      delete hooks[side]
      died()
      return dead()
    }
  })
}

async function called(first: TestExecution): Promise<ScriptedCall> {
  await first.worker.claimOnce()
  return first.provider.call(0)
}

const gaps: [gap: string, crash: Crash, outcome: { text: string; run: number; partial: string | null }][] = [
  [
    'after the claim was committed, before anything of the attempt',
    async (first, hooks) => {
      const died = diesAt(hooks, 'after', 'transaction')
      void first.worker.claimOnce()
      await died
    },
    { text: 'Second.', run: 2, partial: null },
  ],
  [
    'while the provider answers',
    async (first) => {
      ;(await called(first)).options.onDelta('never stored')
    },
    { text: 'Second.', run: 2, partial: null },
  ],
  [
    'before a piece of text was stored',
    async (first, hooks) => {
      const call = await called(first)
      call.options.onDelta('half')
      const died = diesAt(hooks, 'before', 'rows')
      first.clock.advance(1_000)
      await died
    },
    { text: 'Second.', run: 2, partial: null },
  ],
  [
    'after a piece of text was stored',
    async (first, hooks) => {
      const call = await called(first)
      call.options.onDelta('half')
      const died = diesAt(hooks, 'after', 'rows')
      first.clock.advance(1_000)
      await died
    },
    { text: 'Second.', run: 2, partial: 'half' },
  ],
  [
    'before the answer was written',
    async (first, hooks) => {
      const call = await called(first)
      const died = diesAt(hooks, 'before', 'transaction')
      call.answer('First.', { requestId: 'r1' })
      await died
    },
    { text: 'Second.', run: 2, partial: null },
  ],
  [
    'after the answer was written, before anybody heard of it',
    async (first, hooks) => {
      const call = await called(first)
      const died = diesAt(hooks, 'after', 'transaction')
      call.answer('First.', { requestId: 'r1' })
      await died
    },
    { text: 'First.', run: 1, partial: null },
  ],
  [
    'before a failure was written',
    async (first, hooks) => {
      const call = await called(first)
      const died = diesAt(hooks, 'before', 'transaction')
      call.fail({ failure: failure('timeout', 'Slow.') })
      await died
    },
    { text: 'Second.', run: 2, partial: null },
  ],
  [
    'after a failure was written',
    async (first, hooks) => {
      const call = await called(first)
      const died = diesAt(hooks, 'after', 'transaction')
      call.fail({ failure: failure('timeout', 'Slow.') })
      await died
    },
    { text: 'Second.', run: 2, partial: null },
  ],
]

describe('a process that dies', () => {
  it.each(gaps)('%s leaves one answer and one outcome after a restart', async (_, crash, outcome) => {
    const hooks: AccessHooks = {}
    const first = testExecution(interposedDatabase(db.database, hooks))
    const me = await first.person()
    const { prompt_id, job_id } = await submitPrompt(first.execution, me, { text: 'Ask' })
    await crash(first, hooks)

    const second = testExecution(db.database, {}, { clock: first.clock, workerId: 'after the restart' })
    await reclaimStuckJobs(second.execution, true)
    second.clock.advance(60_000)
    await second.worker.claimOnce()
    await until(() => second.provider.calls.length === outcome.run - 1)
    for (const call of second.provider.calls) call.answer('Second.', { requestId: 'r2' })
    await second.worker.idle()

    const detail = await readPrompt(second.execution, me, prompt_id)
    expect(detail.answer?.text).toBe(outcome.text)
    const job = await jobDetails(second.execution, job_id)
    expect(job).toMatchObject({
      state: 'succeeded',
      outcome: 'succeeded',
      run: outcome.run,
      error_kind: null,
    })
    expect(job.ledger.map((run) => run.run)).toEqual(
      Array.from({ length: outcome.run }, (_, index) => index + 1),
    )
    expect(job.events.filter((event) => event.kind === 'job-succeeded')).toHaveLength(1)
    const [stored] = await db.database.rows<{
      responses: number
      edges: number
      drafts: number
      partial: string | null
    }>(
      sql`select (select count(*) from entity where kind = 'response') as responses,
        (select count(*) from edge where kind = 'flows-to') as edges, (select count(*) from draft) as drafts,
        (select max(partial_text) from ledger) as partial`,
    )
    expect(stored).toEqual({ responses: 1, edges: 1, drafts: 0, partial: outcome.partial })
  })

  it('three times during one prompt ends it, with attempts left', async () => {
    const clock = testExecution(db.database).clock
    const first = testExecution(db.database, {}, { clock })
    const me = await first.person()
    const request = { text: 'Poison', options: { max_attempts: 20 } }
    const { job_id } = await submitPrompt(first.execution, me, request)
    for (let crash = 0; crash < 3; crash++) {
      const next = testExecution(db.database, {}, { clock })
      await reclaimStuckJobs(next.execution, true)
      expect((await next.worker.claimOnce()).claimed).toBe(1)
      await next.provider.call(0)
    }
    const last = testExecution(db.database, {}, { clock })
    await reclaimStuckJobs(last.execution, true)
    expect(await jobDetails(last.execution, job_id)).toMatchObject({
      state: 'failed',
      error_kind: 'worker_crash',
      run: 3,
    })
  })

  it('cannot write in the name of its claim once it wakes after all', async () => {
    const first = testExecution(db.database)
    const me = await first.person()
    const { prompt_id } = await submitPrompt(first.execution, me, { text: 'Ask' })
    const call = await called(first)
    const second = testExecution(db.database, {}, { clock: first.clock, workerId: 'test-worker' })
    await reclaimStuckJobs(second.execution, true)
    await second.worker.claimOnce()
    const again = await second.provider.call(0)
    call.options.onDelta('late text')
    first.clock.advance(1_000)
    call.answer('Late.')
    await first.worker.idle()
    expect((await readPrompt(first.execution, me, prompt_id)).view).toMatchObject({
      state: 'running',
      attempt: 2,
    })
    again.answer('Second.')
    await second.worker.idle()
    expect((await readPrompt(second.execution, me, prompt_id)).answer?.text).toBe('Second.')
  })
})
