import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { openPostgres } from '../../store/database/postgres/open-postgres.ts'
import { type TestPostgres, testPostgres } from '../../store/testing/test-postgres.ts'
import { testExecution } from '../testing/test-execution.ts'
import { changeSchedule } from './change-schedule.ts'
import { runDueSchedules } from './run-due-schedules.ts'
import { scheduleKit } from './testing/schedule-kit.ts'

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await testPostgres()
})
beforeEach(() => postgres.truncate())
afterAll(() => postgres.close())

const dayMs = 86_400_000
const processCount = 5

/** Five processes on one database, each with connections of its own and all on one clock. */
async function setup() {
  const first = testExecution(postgres.database)
  const me = await first.person()
  const executions = await Promise.all(
    Array.from({ length: processCount }, async () => {
      const database = await openPostgres({ url: postgres.url, connectionsMax: 2 })
      onTestFinished(() => database.close())
      return testExecution(database, {}, { clock: first.clock }).execution
    }),
  )
  return { ...first, me, executions, ...scheduleKit(first, me) }
}

/** How often each planned time of each schedule was made. */
function plannedTimes() {
  return postgres.database.rows<{ count: number; planned: number; prompts: number }>(sql`
    select count(*) as count, count(distinct (schedule_id, scheduled_for)) as planned,
      count(distinct prompt_id) as prompts
    from job where schedule_id is not null`)
}

// R091
test('five processes make exactly one prompt of each planned time', async () => {
  const { executions, make, clock } = await setup()
  const scheduleCount = 40
  await Promise.all(Array.from({ length: scheduleCount }, (_, index) => make({ name: `Report ${index}` })))
  const days = 3
  for (let day = 0; day < days; day++) {
    clock.advance(dayMs)
    const passes = await Promise.all(executions.map((execution) => runDueSchedules(execution)))
    expect(passes.reduce((sum, { ran }) => sum + ran, 0)).toBe(scheduleCount)
    expect(passes.reduce((sum, { failed }) => sum + failed, 0)).toBe(0)
  }
  const count = scheduleCount * days
  expect(await plannedTimes()).toEqual([{ count, planned: count, prompts: count }])
})

test('one schedule that is due is made by one of five', async () => {
  const { executions, make, schedule, clock } = await setup()
  await make({ cron: '* * * * *' })
  const rounds = 20
  for (let round = 0; round < rounds; round++) {
    clock.advance(60_000)
    const passes = await Promise.all(executions.map((execution) => runDueSchedules(execution)))
    expect(passes.map(({ ran }) => ran).sort()).toEqual([0, 0, 0, 0, 1])
  }
  expect(await plannedTimes()).toEqual([{ count: rounds, planned: rounds, prompts: rounds }])
  expect((await schedule()).next_at).toBe(new Date(clock.now().getTime() + 60_000).toISOString())
})

test('a pause that is answered while others run what is due is kept', async () => {
  const { executions, execution, me, make, schedule, clock } = await setup()
  const { id } = await make()
  clock.advance(dayMs)
  await Promise.all([
    ...executions.map((each) => runDueSchedules(each)),
    changeSchedule(execution, me, id, { paused: true }),
  ])
  expect(await schedule()).toMatchObject({ paused: true, next_at: null })
  clock.advance(dayMs)
  await Promise.all(executions.map((each) => runDueSchedules(each)))
  const [made] = await plannedTimes()
  expect(made?.count).toBeLessThanOrEqual(1)
})
