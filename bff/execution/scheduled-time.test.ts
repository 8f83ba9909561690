import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { failure } from '../domain/failure.ts'
import { type TestDatabase, testDatabase } from '../store/testing/test-database.ts'
import { readPrompt } from './observe/read-prompt.ts'
import { retryPrompt } from './retry-prompt.ts'
import { scheduledTimeOf } from './scheduled-time.ts'
import { submitPrompt } from './submit-prompt.ts'
import { testClock } from './testing/test-clock.ts'
import { testExecution } from './testing/test-execution.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

/** At noon UTC on the day before clocks go forward in Berlin. */
async function setup(now = '2027-03-27T12:00:00.000Z') {
  const test = testExecution(db.database, {}, { clock: testClock(new Date(now)) })
  const me = await test.person()
  return {
    ...test,
    submit: (scheduled_for: string, more: { prompt_id?: string; text?: string } = {}) =>
      submitPrompt(test.execution, me, { text: 'Ask', ...more, options: { scheduled_for } }),
    view: async (id: string) => (await readPrompt(test.execution, me, id)).view,
    retry: (id: string) => retryPrompt(test.execution, me, id),
    /** Claims what is due and gives it an answer, or a failure. */
    run: async (fails = false) => {
      const index = test.provider.calls.length
      await test.worker.claimOnce()
      const call = await test.provider.call(index)
      if (fails) call.fail({ failure: failure('timeout', 'Slow.') })
      else call.answer('Done')
      await test.worker.idle()
    },
  }
}

const promptId = '0190f3c0-0000-7000-8000-000000000001'

describe('a scheduled prompt', () => {
  // R091
  it('keeps the zone in which its time was given', async () => {
    const test = await setup()
    const { view } = await test.submit('2027-03-28T09:00[Asia/Tokyo]')
    expect(view).toMatchObject({
      scheduled_for: '2027-03-28T00:00:00.000Z',
      time_zone: 'Asia/Tokyo',
      time_in_gap: null,
      wait_reason: { code: 'scheduled', at: '2027-03-28T00:00:00.000Z' },
    })
    expect((await test.submit('2027-03-28T09:00:00+09:00')).view).toMatchObject({
      scheduled_for: '2027-03-28T00:00:00.000Z',
      time_zone: null,
    })
  })

  it('whose time clocks leave out runs right after the gap, and says so', async () => {
    const test = await setup()
    const { view } = await test.submit('2027-03-28T02:30[Europe/Berlin]')
    expect(view).toMatchObject({ scheduled_for: '2027-03-28T01:00:00.000Z', time_in_gap: '2027-03-28T02:30' })
    await db.database.rows(
      sql`update job set scheduled_for = '2027-03-29T02:00Z', available_at = '2027-03-29T02:00Z'`,
    )
    expect(await test.view(view.prompt_id)).toMatchObject({ time_in_gap: null })
  })

  it('runs at its time, and is not late then', async () => {
    const test = await setup()
    const { prompt_id } = await test.submit('2027-03-27T13:00:00Z')
    expect(await test.worker.claimOnce()).toMatchObject({ claimed: 0 })
    test.clock.advance(3_660_000)
    await test.run()
    expect(await test.view(prompt_id)).toMatchObject({ state: 'succeeded', late_ms: null })
  })

  it('says how late it began: its first run counts, not those after it', async () => {
    const test = await setup()
    const { prompt_id } = await test.submit('2027-03-27T13:00:00Z')
    test.clock.advance(3_600_000 + 10_800_000)
    expect(await test.view(prompt_id)).toMatchObject({ late_ms: null })
    await test.run(true)
    expect(await test.view(prompt_id)).toMatchObject({ state: 'queued', late_ms: 10_800_000 })
    test.clock.advance(3_600_000)
    await test.run()
    expect(await test.view(prompt_id)).toMatchObject({ state: 'succeeded', late_ms: 10_800_000 })
  })

  it('that began in time is not late because it was tried again', async () => {
    const test = await setup()
    const { prompt_id } = await test.submit('2027-03-27T13:00:00Z')
    test.clock.advance(3_600_000)
    await test.run(true)
    test.clock.advance(3_600_000)
    await test.run()
    expect(await test.view(prompt_id)).toMatchObject({ state: 'succeeded', late_ms: null })
    await test.retry(prompt_id)
    expect(await test.view(prompt_id)).toMatchObject({ scheduled_for: null, time_zone: null, late_ms: null })
  })
})

describe('the past', () => {
  it('is refused, with a minute’s grace', async () => {
    const test = await setup()
    await expect(test.submit('2027-03-27T11:58:59.999Z')).rejects.toMatchObject({
      code: 'invalid_request',
      details: {
        errors: [{ field: 'options.scheduled_for', message: expect.stringContaining('in the past') }],
      },
    })
    expect(await db.database.rows(sql`select from job`)).toEqual([])
    await test.submit('2027-03-27T11:59:00Z')
    await test.run()
  })

  it('is no reason to refuse a repetition, nor to take other content for one', async () => {
    const test = await setup()
    const first = await test.submit('2027-03-27T13:00[UTC]', { prompt_id: promptId })
    test.clock.advance(86_400_000)
    const again = await test.submit('2027-03-27T13:00[UTC]', { prompt_id: promptId })
    expect(again).toMatchObject({ prompt_id: first.prompt_id, job_id: first.job_id })
    const other = test.submit('2027-03-27T13:00[UTC]', { prompt_id: promptId, text: 'Other' })
    await expect(other).rejects.toMatchObject({ code: 'prompt_conflict' })
  })
})

it.each([
  ['tomorrow', 'must be a time'],
  ['2027-03-28T09:00', 'an offset or a zone'],
  ['2027-03-28T09:00[Nowhere/Land]', 'zone that is not known'],
  ['2027-03-28T09:00+01:00[Asia/Tokyo]', 'offset that its zone does not have'],
  ['9999-12-31T23:59:59-12:00', 'between the years'],
  ['0000-01-01T00:00:00Z', 'between the years'],
])('the time %j is refused by its name', async (text, words) => {
  const test = await setup()
  const message = expect.stringContaining(words)
  await expect(test.submit(text)).rejects.toMatchObject({
    code: 'invalid_request',
    details: { errors: [{ field: 'options.scheduled_for', message }] },
  })
  expect(() => scheduledTimeOf(text, test.clock.now(), 'scheduled_for')).toThrow(
    expect.objectContaining({ details: { errors: [{ field: 'scheduled_for', message }] } }),
  )
})
