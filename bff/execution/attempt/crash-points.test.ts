import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../../store/testing/test-database.ts'
import { readPrompt } from '../observe/read-prompt.ts'
import { jobDetails, reclaimStuckJobs } from '../operate-jobs.ts'
import { submitPrompt } from '../submit-prompt.ts'
import { crashPointsConformance } from '../testing/crash-points.ts'
import type { ScriptedCall } from '../testing/scripted-provider.ts'
import { type TestExecution, testExecution } from '../testing/test-execution.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

crashPointsConformance(() => db, 120_000)

async function called(first: TestExecution): Promise<ScriptedCall> {
  await first.worker.claimOnce()
  return first.provider.call(0)
}

describe('a process that dies', () => {
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
