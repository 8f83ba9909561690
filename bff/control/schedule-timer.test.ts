import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { DomainError } from '../domain/errors.ts'
import { changeSchedule } from '../execution/schedules/change-schedule.ts'
import { removeSchedule } from '../execution/schedules/remove-schedule.ts'
import { scheduleKit } from '../execution/schedules/testing/schedule-kit.ts'
import { type AccessHooks, interposedDatabase } from '../execution/testing/interposed-database.ts'
import { testExecution } from '../execution/testing/test-execution.ts'
import { turn } from '../execution/testing/until.ts'
import { type TestDatabase, testDatabase } from '../store/testing/test-database.ts'
import type { Loop } from './claim-loop.ts'
import { startScheduleTimer } from './schedule-timer.ts'
import { startControl } from './start-control.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
const started: Loop[] = []
beforeEach(() => db.truncate())
afterEach(() => Promise.all(started.splice(0).map((timer) => timer.stop())))
afterAll(() => db.close())

const dayMs = 86_400_000

/** At noon UTC, half a day before the next 09:00 in Tokyo. */
async function setup(hooks: AccessHooks = {}) {
  const test = testExecution(interposedDatabase(db.database, hooks))
  const me = await test.person()
  const start = async () => {
    const timer = startScheduleTimer(test.execution)
    started.push(timer)
    await quiet()
    return timer
  }
  const advance = async (ms: number) => {
    test.clock.advance(ms)
    await quiet()
  }
  return { ...test, me, start, advance, ...scheduleKit(test, me) }
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

describe('the schedule timer', () => {
  it('makes the prompt exactly at its time, and runs no statement until then', async () => {
    const test = await setup()
    await test.start()
    await test.make()
    await quiet()
    const statements = db.database.statementCount()
    await test.advance(dayMs / 2 - 1)
    expect(db.database.statementCount()).toBe(statements)
    await test.advance(1)
    expect(await test.runs()).toMatchObject([{ scheduled_for: '2026-03-13T00:00:00.000Z', late_ms: null }])
    await test.advance(dayMs)
    expect(await test.runs()).toHaveLength(2)
  })

  it('has nothing armed and runs nothing while there is no schedule', async () => {
    const test = await setup()
    await test.start()
    const statements = db.database.statementCount()
    await test.advance(30 * dayMs)
    expect(db.database.statementCount()).toBe(statements)
    expect(test.clock.armed).toBe(0)
  })

  it('hears of a schedule that is moved nearer, paused or removed', async () => {
    const test = await setup()
    await test.start()
    const { id } = await test.make()
    await changeSchedule(test.execution, test.me, id, { cron: '0 22 * * *' })
    await quiet()
    await test.advance(3_600_000)
    expect(await test.runs()).toHaveLength(1)
    await changeSchedule(test.execution, test.me, id, { paused: true })
    await quiet()
    expect(test.clock.armed).toBe(0)
    await changeSchedule(test.execution, test.me, id, { paused: false })
    await quiet()
    expect(test.clock.armed).toBe(1)
    await removeSchedule(test.execution, test.me, id)
    await quiet()
    expect(test.clock.armed).toBe(0)
  })

  // R091
  it('makes up once at its start for five times that were missed', async () => {
    const test = await setup()
    await test.make()
    test.clock.advance(5 * dayMs)
    await test.start()
    expect(await test.runs()).toHaveLength(1)
    expect(await test.queuedEvents()).toMatchObject([{ missed: 4 }])
    await test.advance(dayMs / 2)
    expect(await test.runs()).toHaveLength(2)
    expect(await test.queuedEvents()).toMatchObject([{ missed: 4 }, { missed: 0 }])
  })

  it('tries again a second after the database could not be reached', async () => {
    let refuse = false
    const test = await setup({
      before: () => {
        if (!refuse) return
        refuse = false
        throw new DomainError('database_unavailable', 'Gone.')
      },
    })
    await test.start()
    await test.make()
    await quiet()
    refuse = true
    await test.advance(dayMs / 2)
    expect(refuse).toBe(false)
    expect(await test.runs()).toEqual([])
    await test.advance(1_000)
    expect(await test.runs()).toHaveLength(1)
  })

  it('brings the prompt to the worker at its very time, and so for every later one', async () => {
    const test = await setup()
    const control = startControl(test.execution, test.worker, { reclaimFormerSelf: false })
    started.push(control)
    await control.ready
    await test.make()
    await quiet()
    for (let day = 0; day < 2; day++) {
      await test.advance(day === 0 ? dayMs / 2 : dayMs)
      ;(await test.provider.call(day)).answer('Done')
      await test.worker.idle()
      await quiet()
    }
    const times = (await test.runs()).map(({ started_at, scheduled_for }) => [started_at, scheduled_for])
    expect(times).toEqual([
      ['2026-03-13T00:00:00.000Z', '2026-03-13T00:00:00.000Z'],
      ['2026-03-14T00:00:00.000Z', '2026-03-14T00:00:00.000Z'],
    ])
  })

  it('leaves nothing armed and makes nothing once it is stopped', async () => {
    const test = await setup()
    const timer = await test.start()
    await test.make()
    await quiet()
    await timer.stop()
    expect(test.clock.armed).toBe(0)
    await test.advance(dayMs)
    await test.make()
    await test.advance(dayMs)
    expect(await test.runs()).toEqual([])
  })
})
