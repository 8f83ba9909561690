import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../store/testing/test-database.ts'
import { testHttp } from './testing/test-http.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

const path = '/api/v1/schedules'
const daily = { name: 'Daily', cron: '0 9 * * *', time_zone: 'Asia/Tokyo', text: 'What happened?' }

async function setup() {
  const http = testHttp(db.database)
  const { cookie } = await http.visitor()
  const post = (body: unknown) => http.call(path, { method: 'POST', cookie, body })
  const patch = (id: unknown, body: unknown) => http.call(`${path}/${id}`, { method: 'PATCH', cookie, body })
  const list = () => http.json(path, { cookie })
  const remove = (id: unknown) => http.call(`${path}/${id}`, { method: 'DELETE', cookie })
  return { ...http, cookie, post, patch, list, remove }
}

// R091
it('a schedule is made, listed with its zone and next time, paused, resumed and removed', async () => {
  const { post, patch, list, remove } = await setup()
  const answer = await post(daily)
  expect(answer.status).toBe(201)
  const made = await answer.json()
  expect(made).toMatchObject({ ...daily, options: {}, next_at: '2026-03-13T00:00:00.000Z', paused: false })
  expect(await list()).toEqual({ schedules: [made], next: null })
  expect(await (await patch(made.id, { paused: true })).json()).toMatchObject({ paused: true, next_at: null })
  expect(await (await patch(made.id, { paused: false })).json()).toEqual(made)
  expect((await remove(made.id)).status).toBe(204)
  expect((await remove(made.id)).status).toBe(404)
  expect((await patch(made.id, { name: 'Again' })).status).toBe(404)
  expect(await list()).toEqual({ schedules: [], next: null })
})

describe('what is wrong is named', () => {
  const { text: _, ...textless } = daily
  it.each([
    [{ ...daily, cron: 'daily' }, 'cron'],
    [{ ...daily, cron: '' }, 'cron'],
    [{ ...daily, cron: '0 0 9 * * *' }, 'cron'],
    [{ ...daily, cron: '0 0 30 2 *' }, 'cron'],
    [{ ...daily, cron: `${'0,'.repeat(60)}0 9 * * *` }, 'cron'],
    [{ ...daily, time_zone: 'Nowhere/Land' }, 'time_zone'],
    [{ ...daily, time_zone: '+09:00' }, 'time_zone'],
    [{ ...daily, time_zone: 9 }, 'time_zone'],
    [{ ...daily, name: '' }, 'name'],
    [{ ...daily, name: 'two\nlines' }, 'name'],
    [{ ...daily, name: 'x'.repeat(201) }, 'name'],
    [textless, 'text'],
    [{ ...daily, text: ' ' }, 'text'],
    [{ ...daily, text: 'x'.repeat(200_001) }, 'text'],
    [{ ...daily, text: 'a\u0000b' }, 'text'],
    [{ ...daily, options: { scheduled_for: '2030-01-01T00:00:00Z' } }, 'options.scheduled_for'],
    [{ ...daily, options: { after: '0190f3c0-0000-7000-8000-000000000001' } }, 'options.after'],
    [{ ...daily, options: { priority: 101 } }, 'options.priority'],
    [{ ...daily, options: { prefer_provider: 'nobody' } }, 'options.prefer_provider'],
    [{ ...daily, thread_id: '0190f3c0-0000-7000-8000-000000000001' }, 'thread_id'],
    [{ ...daily, thread_id: 'mine' }, 'thread_id'],
    [{ ...daily, seconds: 5 }, 'seconds'],
  ])('%# %j', async (body, field) => {
    const { post, list } = await setup()
    const answer = await post(body)
    expect(answer.status).toBe(400)
    expect((await answer.json()).errors).toEqual([{ field, message: expect.any(String) }])
    expect(await list()).toMatchObject({ schedules: [] })
  })

  it('in a change too, which changes nothing then', async () => {
    const { post, patch, list } = await setup()
    const made = await (await post(daily)).json()
    for (const [body, field] of [
      [{ cron: '0 0 30 2 *' }, 'cron'],
      [{ name: 'Other', time_zone: 'Nowhere/Land' }, 'time_zone'],
      [{ text: '' }, 'text'],
      [{ options: { after: made.id } }, 'options.after'],
      [{ thread_id: made.id }, 'thread_id'],
      [{ paused: 'yes' }, 'paused'],
    ] as const) {
      const answer = await patch(made.id, body)
      expect([field, answer.status]).toEqual([field, 400])
      expect((await answer.json()).errors).toMatchObject([{ field }])
    }
    expect(await list()).toEqual({ schedules: [made], next: null })
  })
})

it('a time with a zone is accepted at a submit, and refused by its name where it cannot be', async () => {
  const { call, cookie } = await setup()
  const submit = (scheduled_for: unknown) =>
    call('/api/v1/prompt', { method: 'POST', cookie, body: { text: 'Ask', options: { scheduled_for } } })
  const accepted = await submit('2026-12-01T09:00[Asia/Tokyo]')
  expect(accepted.status).toBe(202)
  expect((await accepted.json()).view).toMatchObject({
    scheduled_for: '2026-12-01T00:00:00.000Z',
    time_zone: 'Asia/Tokyo',
  })
  for (const wrong of [
    '',
    'soon',
    5,
    '2026-03-12T11:00:00Z',
    '2026-12-01T09:00[Nowhere/Land]',
    'x'.repeat(10_000),
  ]) {
    const refused = await submit(wrong)
    expect([wrong, refused.status]).toEqual([wrong, 400])
    expect((await refused.json()).errors).toMatchObject([{ field: 'options.scheduled_for' }])
  }
})
