import { sql } from 'drizzle-orm'
import { v7 as uuidV7 } from 'uuid'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { failure } from '../../domain/failure.ts'
import { type TestDatabase, testDatabase } from '../../store/testing/test-database.ts'
import { submitPrompt } from '../submit-prompt.ts'
import { testExecution } from '../testing/test-execution.ts'
import { changeSchedule } from './change-schedule.ts'
import { listSchedules } from './list-schedules.ts'
import { removeSchedule } from './remove-schedule.ts'
import { runDueSchedules } from './run-due-schedules.ts'
import { scheduleKit } from './testing/schedule-kit.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

const dayMs = 86_400_000

/** At noon UTC on 12 March 2026, 21:00 in Tokyo. */
async function setup() {
  const test = testExecution(db.database)
  const [me, stranger] = [await test.person(), await test.person()]
  return {
    ...test,
    me,
    stranger,
    ...scheduleKit(test, me),
    change: (id: string, patch: Parameters<typeof changeSchedule>[3]) =>
      changeSchedule(test.execution, me, id, patch),
    pass: () => runDueSchedules(test.execution),
    answerAll: async () => {
      const from = test.provider.calls.length
      await test.worker.claimOnce()
      for (const call of test.provider.calls.slice(from)) call.answer('Done')
      await test.worker.idle()
    },
  }
}

const named = (field: string, message: unknown = expect.any(String), code = 'invalid_request') => ({
  code,
  details: { errors: [{ field, message }] },
})

describe('a schedule', () => {
  // R091
  it('shows its zone and its next time; its last time and prompt once it ran', async () => {
    const test = await setup()
    const made = await test.make()
    expect(made).toMatchObject({
      cron: '0 9 * * *',
      time_zone: 'Asia/Tokyo',
      thread_id: null,
      paused: false,
      next_at: '2026-03-13T00:00:00.000Z',
      last_at: null,
      last_prompt_id: null,
    })
    test.clock.advance(dayMs / 2)
    await test.pass()
    const [run] = await test.runs()
    expect(await test.schedule()).toEqual({
      ...made,
      thread_id: run?.prompt_id,
      next_at: '2026-03-14T00:00:00.000Z',
      last_at: '2026-03-13T00:00:00.000Z',
      last_prompt_id: run?.prompt_id,
    })
  })

  it('is changed field by field; a new timing counts from now', async () => {
    const test = await setup()
    const made = await test.make({ options: { priority: 10 } })
    const renamed = await test.change(made.id, {
      name: 'Evening',
      text: 'And now?',
      options: { budget: 'quick' },
    })
    expect(renamed).toEqual({ ...made, name: 'Evening', text: 'And now?', options: { budget: 'quick' } })
    expect(await test.change(made.id, { cron: '30 14 * * *' })).toMatchObject({
      cron: '30 14 * * *',
      next_at: '2026-03-13T05:30:00.000Z',
    })
    expect(await test.change(made.id, { time_zone: 'Europe/Lisbon' })).toMatchObject({
      time_zone: 'Europe/Lisbon',
      next_at: '2026-03-12T14:30:00.000Z',
    })
    expect(await test.change(made.id, {})).toEqual(await test.schedule())
  })

  it('that is paused runs nothing, and goes on from the time at which it is resumed', async () => {
    const test = await setup()
    const { id } = await test.make()
    expect(await test.change(id, { paused: true })).toMatchObject({ paused: true, next_at: null })
    test.clock.advance(3 * dayMs)
    expect(await test.change(id, { cron: '0 8 * * *' })).toMatchObject({ paused: true, next_at: null })
    expect(await test.pass()).toEqual({ ran: 0, failed: 0 })
    expect(await test.change(id, { paused: false })).toMatchObject({
      paused: false,
      next_at: '2026-03-15T23:00:00.000Z',
    })
    expect(await test.runs()).toEqual([])
  })

  it('that is removed is gone; what it made stays', async () => {
    const test = await setup()
    const { id } = await test.make()
    test.clock.advance(dayMs)
    await test.pass()
    await removeSchedule(test.execution, test.me, id)
    test.clock.advance(dayMs)
    await test.pass()
    expect(await test.runs()).toHaveLength(1)
    expect(await listSchedules(test.execution, test.me, {})).toEqual({ schedules: [], next: null })
    await expect(removeSchedule(test.execution, test.me, id)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('of somebody else is not there', async () => {
    const test = await setup()
    const { id } = await test.make()
    expect(await listSchedules(test.execution, test.stranger, {})).toEqual({ schedules: [], next: null })
    const change = changeSchedule(test.execution, test.stranger, id, { paused: true })
    await expect(change).rejects.toMatchObject({ code: 'not_found' })
    await expect(removeSchedule(test.execution, test.stranger, id)).rejects.toMatchObject({
      code: 'not_found',
    })
    expect(await test.schedule()).toMatchObject({ id, paused: false })
  })
})

it('lists the next one first, in pages that hold each once', async () => {
  const test = await setup()
  const names = ['d', 'a', 'c', 'b', 'never']
  for (const [index, cron] of ['0 12 * * *', '0 9 * * *', '0 11 * * *', '0 9 * * *', '0 7 * * *'].entries()) {
    const { id } = await test.make({ name: names[index] ?? '', cron, time_zone: 'UTC' })
    if (names[index] === 'never') await test.change(id, { paused: true })
  }
  const seen: string[] = []
  let after: string | undefined
  do {
    const page = await listSchedules(test.execution, test.me, { limit: 2, after })
    seen.push(...page.schedules.map(({ name }) => name))
    after = page.next ?? undefined
  } while (after !== undefined)
  expect(seen).toEqual(['a', 'b', 'c', 'd', 'never'])
  const page = listSchedules(test.execution, test.me, { after: 'there' })
  await expect(page).rejects.toMatchObject({ code: 'malformed_cursor' })
})

describe('what makes no sense is refused by its name', () => {
  it.each([
    [{ cron: 'daily' }, 'cron'],
    [{ cron: '0 0 30 2 *' }, 'cron'],
    [{ time_zone: 'Nowhere/Land' }, 'time_zone'],
    [{ options: { scheduled_for: '2030-01-01T00:00:00Z' } }, 'options.scheduled_for'],
    [{ options: { after: uuidV7() } }, 'options.after'],
    [{ options: { prefer_provider: 'nobody' } }, 'options.prefer_provider'],
    [{ thread_id: uuidV7() }, 'thread_id'],
  ])('%j', async (part, field) => {
    const test = await setup()
    await expect(test.make(part)).rejects.toMatchObject(named(field))
    expect(await db.database.rows(sql`select from schedule`)).toEqual([])
    if ('thread_id' in part) return
    const made = await test.make()
    await expect(test.change(made.id, part)).rejects.toMatchObject(named(field))
    expect(await test.schedule()).toEqual(made)
  })

  it('a thread of somebody else, or one that was deleted', async () => {
    const test = await setup()
    const foreign = await submitPrompt(test.execution, test.stranger, { text: 'Private' })
    await expect(test.make({ thread_id: foreign.prompt_id })).rejects.toMatchObject(named('thread_id'))
    const own = await submitPrompt(test.execution, test.me, { text: 'Deleted' })
    await db.database.rows(sql`update entity set state_class = 'retracted' where id = ${own.prompt_id}::uuid`)
    const refused = test.make({ thread_id: own.prompt_id })
    await expect(refused).rejects.toMatchObject(named('thread_id', 'was deleted', 'gone'))
  })
})

describe('a run', () => {
  it('is a prompt like any other: of its owner, with its options, behind what people wait for', async () => {
    const test = await setup()
    const made = await test.make({ options: { budget: 'quick', max_attempts: 5 } })
    test.clock.advance(dayMs / 2)
    expect(await test.pass()).toEqual({ ran: 1, failed: 0 })
    const [run] = await test.runs()
    expect(run).toMatchObject({
      state: 'queued',
      priority: 60,
      budget: 'quick',
      max_attempts: 5,
      thread_title: 'Morning report',
      text_excerpt: 'What happened?',
      scheduled_for: '2026-03-13T00:00:00.000Z',
      time_zone: 'Asia/Tokyo',
      schedule_id: made.id,
    })
    expect(await test.queuedEvents()).toEqual([
      {
        to: 'queued',
        priority: 60,
        actor: test.me.personId,
        schedule_id: made.id,
        planned_at: '2026-03-13T00:00:00.000Z',
        missed: 0,
      },
    ])
    await test.answerAll()
    expect(test.provider.calls[0]?.request.turns).toEqual([{ role: 'user', text: 'What happened?' }])
  })

  it('of a schedule’s own thread hangs in one lane, is asked afresh, and waits for none before it', async () => {
    const test = await setup()
    await test.make({ options: { priority: 5 } })
    for (let day = 0; day < 3; day++) {
      test.clock.advance(dayMs)
      await test.pass()
    }
    const [first, second, third] = await test.runs()
    expect([second?.parent_id, third?.parent_id]).toEqual([first?.prompt_id, second?.prompt_id])
    expect(third).toMatchObject({
      correlation_id: first?.prompt_id,
      priority: 5,
      wait_reason: { code: 'in_line' },
    })
    await test.answerAll()
    for (const { request } of test.provider.calls) expect(request.turns).toHaveLength(1)
    expect((await test.runs()).map(({ state }) => state)).toEqual(['succeeded', 'succeeded', 'succeeded'])
  })

  it('in a thread that was named continues it, and waits for a leaf that is being answered', async () => {
    const test = await setup()
    const { prompt_id } = await submitPrompt(test.execution, test.me, { text: 'Once upon a time?' })
    await test.make({ thread_id: prompt_id, text: 'Next chapter?' })
    test.clock.advance(dayMs)
    await test.pass()
    const [run] = await test.runs()
    expect(run).toMatchObject({ parent_id: prompt_id, wait_reason: { code: 'after', prompt_id } })
    await test.answerAll()
    await test.answerAll()
    expect(test.provider.calls[1]?.request.turns.map(({ text }) => text)).toEqual([
      'Once upon a time?',
      'Done',
      'Next chapter?',
    ])
  })

  it('is not held by one before it that failed or is held itself', async () => {
    const test = await setup()
    const { prompt_id } = await submitPrompt(test.execution, test.me, {
      text: 'Doomed',
      options: { max_attempts: 1 },
    })
    await test.make({ thread_id: prompt_id })
    test.clock.advance(dayMs)
    await test.pass()
    await test.worker.claimOnce()
    ;(await test.provider.call(0)).fail({ failure: failure('auth', 'No.') })
    await test.worker.idle()
    expect((await test.runs())[0]).toMatchObject({ wait_reason: { code: 'held', cause: 'failed' } })
    test.clock.advance(dayMs)
    await test.pass()
    const [held, next] = await test.runs()
    expect(next).toMatchObject({ parent_id: held?.prompt_id, wait_reason: { code: 'in_line' } })
  })

  it('goes on in a new thread when its own was deleted; with a named one deleted the schedule is paused', async () => {
    const test = await setup()
    const named = await submitPrompt(test.execution, test.me, { text: 'Named' })
    await test.make()
    test.clock.advance(dayMs)
    await test.pass()
    const { id } = await test.make({ name: 'In a named thread', thread_id: named.prompt_id })
    await db.database.rows(sql`update entity set state_class = 'retracted'`)
    test.clock.advance(dayMs)
    expect(await test.pass()).toEqual({ ran: 2, failed: 0 })
    const { schedules } = await listSchedules(test.execution, test.me, {})
    const [own, paused] = schedules
    expect(paused).toMatchObject({ id, paused: true, next_at: null, last_at: null })
    expect(own).toMatchObject({ paused: false, thread_id: own?.last_prompt_id })
    expect(await test.view(own?.last_prompt_id ?? '')).toMatchObject({ parent_id: null })
  })

  it('asks the default where its provider is not there any more', async () => {
    const test = await setup()
    const { id } = await test.make()
    const request = { text: 'Ask', options: { prefer_provider: 'gone', model: 'gone-1' }, own_thread: true }
    await db.database.rows(sql`update schedule set request = ${JSON.stringify(request)}::text::jsonb`)
    test.clock.advance(dayMs)
    await test.pass()
    expect((await test.runs())[0]).toMatchObject({
      schedule_id: id,
      provider: test.provider.id,
      model: 'script-1',
    })
  })
})

// R091
describe('what was missed while nothing ran', () => {
  it('runs once, late, and says so; never in a burst', async () => {
    const test = await setup()
    const { id } = await test.make()
    test.clock.advance(5 * dayMs)
    expect(await test.pass()).toEqual({ ran: 1, failed: 0 })
    expect(await test.pass()).toEqual({ ran: 0, failed: 0 })
    await test.answerAll()
    const [run, ...more] = await test.runs()
    expect(more).toEqual([])
    expect(run).toMatchObject({ scheduled_for: '2026-03-13T00:00:00.000Z', late_ms: 4.5 * dayMs })
    expect(await test.queuedEvents()).toMatchObject([
      { schedule_id: id, planned_at: '2026-03-13T00:00:00.000Z', missed: 4 },
    ])
    expect(await test.schedule()).toMatchObject({ next_at: '2026-03-18T00:00:00.000Z' })
  })

  it('of a hundred and fifty schedules is made up in passes of a hundred', async () => {
    const test = await setup()
    await db.database.rows(sql`
      insert into schedule (id, org_id, created_by, name, cron, zone, request, next_at, created_at)
      select gen_random_uuid(), ${test.me.orgId}::uuid, ${test.me.personId}::uuid, 'n', '0 9 * * *', 'UTC',
        '{"text":"Ask","options":{},"own_thread":true}', '2026-03-12T09:00Z', '2026-03-12T08:00Z'
      from generate_series(1, 150)`)
    expect(await test.pass()).toEqual({ ran: 100, failed: 0 })
    expect(await test.pass()).toEqual({ ran: 50, failed: 0 })
    expect(await test.pass()).toEqual({ ran: 0, failed: 0 })
    expect(await db.database.rows(sql`select from job`)).toHaveLength(150)
  })

  it('holds up nobody else when one cannot be made', async () => {
    const test = await setup()
    await test.make({ name: 'Broken' })
    await test.make({ name: 'Whole' })
    await db.database.rows(sql`update schedule set zone = 'Nowhere/Land' where name = 'Broken'`)
    test.clock.advance(dayMs)
    expect(await test.pass()).toEqual({ ran: 2, failed: 0 })
    const { schedules } = await listSchedules(test.execution, test.me, {})
    expect(schedules.map(({ name, paused }) => [name, paused])).toEqual([
      ['Whole', false],
      ['Broken', true],
    ])
  })

  it('makes no prompt twice for one planned time, whatever becomes of the schedule’s row', async () => {
    const test = await setup()
    await test.make()
    test.clock.advance(dayMs)
    await test.pass()
    await db.database.rows(sql`update schedule set next_at = '2026-03-13T00:00Z'`)
    expect(await test.pass()).toEqual({ ran: 1, failed: 0 })
    expect(await test.runs()).toHaveLength(1)
  })
})
