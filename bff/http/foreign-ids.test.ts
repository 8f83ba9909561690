import { sql } from 'drizzle-orm'
import { v7 as uuidV7 } from 'uuid'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { endpoints } from '../../shared/api.ts'
import type { Endpoint } from '../../shared/endpoint.ts'
import { submitBulk } from '../execution/bulk/submit-bulk.ts'
import { cancelPrompt } from '../execution/cancel-prompt.ts'
import type { Scope } from '../execution/context.ts'
import { makeSchedule } from '../execution/schedules/make-schedule.ts'
import { submitPrompt } from '../execution/submit-prompt.ts'
import { type TestDatabase, testDatabase } from '../store/testing/test-database.ts'
import { sampleRequest } from './testing/sample-request.ts'
import { sseReader } from './testing/sse-reader.ts'
import { type TestHttp, testHttp, testOrigin } from './testing/test-http.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

const owned = Object.entries<Endpoint>(endpoints).filter(
  ([, { open, params }]) => !open && params !== undefined,
)
const names = [...new Set(owned.flatMap(([, { params }]) => Object.keys(params?.shape ?? {})))]

describe('an id of another person', () => {
  it('is at hand for every kind of id that an address can have', async () => {
    const { theirs } = await twoPeople(testHttp(db.database))
    expect(names.filter((name) => theirs.ids[name] === undefined)).toEqual([])
    await theirs.leave()
  })

  // R035, R021
  it.for(owned)('%s answers as if there were none, and changes nothing', async ([, endpoint]) => {
    const http = testHttp(db.database)
    const { mine, theirs } = await twoPeople(http)
    const before = await everything()
    const foreign = await answerTo(http, endpoint, theirs.ids, mine.cookie)
    const none = await answerTo(http, endpoint, {}, mine.cookie)
    expect(foreign).toEqual(none)
    expect(foreign).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect(await everything()).toEqual(before)
    await theirs.leave()
  })

  // R035
  it.for([
    { action: 'cancel' },
    { action: 'retry' },
    { action: 'seen' },
    { action: 'verdict', verdict: 'confirmed' },
  ])('among many to $action is refused like one of nobody, and changes nothing', async (action) => {
    const http = testHttp(db.database)
    const { mine, theirs } = await twoPeople(http)
    const before = await everything()
    const nobody = uuidV7()
    const prompt_ids = [theirs.ids.prompt_id ?? '', nobody, theirs.ids.settled_id ?? '']
    const { outcomes } = await http.json('/api/v1/prompts/actions', {
      method: 'POST',
      cookie: mine.cookie,
      body: { ...action, prompt_ids },
    })
    const unknown = { status: 'refused', problem: { code: 'not_found', status: 404 } }
    expect(outcomes).toMatchObject(prompt_ids.map((prompt_id) => ({ prompt_id, ...unknown })))
    const problems = Object.values(Object(outcomes)).map((line) => JSON.stringify(Object(line).problem))
    expect(new Set(problems).size).toBe(1)
    expect(await everything()).toEqual(before)
    await theirs.leave()
  })

  it('is in no list, view, field or queue', async () => {
    const http = testHttp(db.database)
    const { mine, theirs } = await twoPeople(http)
    const { json } = http
    const { cookie } = mine
    const views = await json(`/api/v1/mission/views?ids=${theirs.ids.prompt_id}`, { cookie })
    const field = await json('/api/v1/mission/field', { cookie })
    const recent = await json('/api/v1/mission/recent', { cookie })
    const queue = await json('/api/v1/queue', { cookie })
    expect([views.views, field.ids, recent.entities, queue.waiting]).toEqual([[], [], [], []])
    await theirs.leave()
  })

  it('is not continued, marked seen or sent again', async () => {
    const http = testHttp(db.database)
    const { mine, theirs } = await twoPeople(http)
    const { prompt_id, job_id } = theirs.ids
    const before = await everything()
    const post = async (path: string, body: object) =>
      (await http.call(path, { method: 'POST', cookie: mine.cookie, body })).status
    expect(await post('/api/v1/prompt', { text: 'On', parent_id: prompt_id })).toBe(400)
    expect(await post('/api/v1/prompt', { text: 'On', root_entity_id: prompt_id })).toBe(400)
    expect(await post('/api/v1/prompt', { text: 'theirs', prompt_id })).toBe(404)
    expect(await post('/api/v1/prompts/seen', { prompts: [{ prompt_id, job_id }] })).toBe(204)
    expect(await everything()).toEqual(before)
    await theirs.leave()
  })
})

async function answerTo(
  http: TestHttp,
  endpoint: Endpoint,
  ids: Readonly<Record<string, string>>,
  cookie: string,
) {
  const [path, request] = sampleRequest(endpoint, ids)
  const answer = await http.call(path, { ...request, cookie })
  return { status: answer.status, body: await answer.json() }
}

/** Two people in orgs of their own; the other one has one of everything that has an id. */
async function twoPeople(http: TestHttp) {
  const mine = await http.visitor()
  const other = await http.visitor()
  const events = `${testOrigin}/api/v1/mission/events`
  const reader = sseReader(await http.app.request(events, { headers: { cookie: other.cookie } }))
  const hello = await reader.next()
  const ids: Record<string, string> = {
    ...(await resourcesOf(http, other.who)),
    stream_id: Object(hello?.data).stream_id,
  }
  return { mine, theirs: { ids, leave: reader.leave } }
}

async function resourcesOf({ execution }: TestHttp, who: Scope): Promise<Record<string, string>> {
  const { prompt_id, job_id } = await submitPrompt(execution, who, { text: 'theirs' })
  const settled = await submitPrompt(execution, who, { text: 'given up' })
  await cancelPrompt(execution, who, settled.prompt_id)
  const schedule = await makeSchedule(execution, who, {
    name: 'Daily',
    cron: '0 8 * * *',
    time_zone: 'UTC',
    text: 'theirs',
  })
  const line = { raw: { text: 'one of many' }, request: { text: 'one of many' } }
  const { batchId } = await submitBulk(execution, who, { lines: [line], atomic: false })
  return {
    prompt_id,
    job_id,
    settled_id: settled.prompt_id,
    thread_id: prompt_id,
    schedule_id: schedule.id,
    batch_id: batchId ?? '',
  }
}

/** Every row that a request could change. */
async function everything(): Promise<unknown> {
  const tables = ['entity', 'job', 'event', 'seen', 'edge', 'thread', 'schedule', 'batch']
  return Promise.all(
    tables.map((name) => db.database.rows(sql.raw(`select t::text from ${name} t order by 1`))),
  )
}
