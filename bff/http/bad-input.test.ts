import { sql } from 'drizzle-orm'
import { v7 as uuidV7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { problem } from '../../shared/problem.ts'
import { bodyBytesMax, promptCharsMax } from '../../shared/text.ts'
import { type TestDatabase, testDatabase } from '../store/testing/test-database.ts'
import { type TestHttp, type TestRequest, testHttp } from './testing/test-http.ts'

let db: TestDatabase
let http: TestHttp
let cookie: string
beforeAll(async () => {
  db = await testDatabase()
  http = testHttp(db.database)
  cookie = (await http.visitor()).cookie
})
afterAll(() => db.close())

const id = uuidV7()
const text = 'Hi'

/** Body of `POST /prompt`, the status it is refused with, and the field that the refusal names. */
const prompts: [string, unknown, number, string][] = [
  ['no body', undefined, 400, ''],
  ['an empty object', {}, 400, 'text'],
  ['null', 'null', 400, ''],
  ['a list', '[]', 400, ''],
  ['a text', '"Hi"', 400, ''],
  ['half a body', '{"text":"Hi', 400, ''],
  ['no JSON at all', 'text=Hi', 400, ''],
  ['two bodies', '{"text":"Hi"}{"text":"Ho"}', 400, ''],
  ['a name given twice', '{"text":"Hi","text":"Ho"}', 400, ''],
  ['a name given twice, once escaped', '{"text":"Hi","\\u0074ext":"Ho"}', 400, ''],
  ['a deep body', `{"text":"Hi","options":${'['.repeat(40)}${']'.repeat(40)}}`, 400, ''],
  ['a very deep body', `${'['.repeat(400_000)}${']'.repeat(400_000)}`, 400, ''],
  ['bytes that are not UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), 400, ''],
  ['text that is a number', { text: 5 }, 400, 'text'],
  ['text that is null', { text: null }, 400, 'text'],
  ['blank text', { text: ' \n\t\u00a0' }, 400, 'text'],
  ['text that is too long', { text: 'a'.repeat(promptCharsMax + 1) }, 400, 'text'],
  ['NUL in the text', { text: 'a\u0000b' }, 400, 'text'], // R083
  ['an unpaired surrogate', '{"text":"a\\ud800b"}', 400, 'text'], // R083
  ['an unknown field', { text, txet: 'Ho' }, 400, 'txet'],
  ['an unknown option', { text, options: { prio: 5 } }, 400, 'options.prio'],
  ['a field of objects themselves', '{"text":"Hi","__proto__":{"a":1}}', 400, '__proto__'],
  ['options that are a list', { text, options: [] }, 400, 'options'],
  ['an id that is no UUID', { text, prompt_id: '1' }, 400, 'prompt_id'],
  ['an id in capitals', { text, prompt_id: id.toUpperCase() }, 400, 'prompt_id'],
  ['a parent that is no UUID', { text, parent_id: '../etc' }, 400, 'parent_id'],
  ['parent and root together', { text, parent_id: id, root_entity_id: id }, 400, 'parent_id'],
  ['a parent that is not there', { text, parent_id: id }, 400, 'parent_id'],
  ['a root that is not there', { text, root_entity_id: id }, 400, 'root_entity_id'],
  ['a priority above 100', { text, options: { priority: 101 } }, 400, 'options.priority'],
  ['a negative priority', { text, options: { priority: -1 } }, 400, 'options.priority'],
  ['half a priority', { text, options: { priority: 1.5 } }, 400, 'options.priority'],
  ['a priority in words', { text, options: { priority: 'high' } }, 400, 'options.priority'],
  ['an enormous priority', '{"text":"Hi","options":{"priority":1e400}}', 400, 'options.priority'],
  ['no attempts', { text, options: { max_attempts: 0 } }, 400, 'options.max_attempts'],
  ['too many attempts', { text, options: { max_attempts: 21 } }, 400, 'options.max_attempts'],
  ['an unknown budget', { text, options: { budget: 'endless' } }, 400, 'options.budget'],
  [
    'a time without a zone',
    { text, options: { scheduled_for: '2030-01-01T00:00:00' } },
    400,
    'options.scheduled_for',
  ],
  [
    'the thirtieth of February',
    { text, options: { scheduled_for: '2030-02-30T00:00:00Z' } },
    400,
    'options.scheduled_for',
  ],
  ['a negative depth', { text, options: { depth: -1 } }, 400, 'options.depth'],
  ['a model of two lines', { text, options: { model: 'a\nb' } }, 400, 'options.model'],
  ['an empty model', { text, options: { model: '' } }, 400, 'options.model'],
  [
    'a provider that is not there',
    { text, options: { prefer_provider: 'nobody' } },
    400,
    'options.prefer_provider',
  ],
  ['a context that is no UUID', { text, options: { context_ids: [id, 'x'] } }, 400, 'options.context_ids[1]'],
  ['long compute without a template', { text, options: { budget: 'long_compute' } }, 422, 'options.budget'],
  ['NUL in an option', { text, options: { expected: 'a\u0000' } }, 400, 'options.expected'],
]

describe('a submit', () => {
  it.for(prompts)('with %s is refused by name, and nothing is written', async ([, body, status, field]) => {
    await refused(
      '/api/v1/prompt',
      { method: 'POST', body, headers: { 'content-type': 'application/json' } },
      status,
      field,
    )
  })

  it('names every field that is wrong, in words, twenty at most', async () => {
    const answer = await http.call('/api/v1/prompt', {
      method: 'POST',
      cookie,
      body: { text: ' ', options: { priority: 200, max_attempts: '3' } },
    })
    expect((await answer.json()).errors).toEqual([
      { field: 'text', message: 'must not be blank' },
      { field: 'options.priority', message: 'must be at most 100' },
      { field: 'options.max_attempts', message: 'must be a number' },
    ])
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`unknown${index}`, 1]))
    const long = await http.call('/api/v1/prompt', { method: 'POST', cookie, body: { text, ...many } })
    expect((await long.json()).errors).toHaveLength(20)
  })
})

describe('a body', () => {
  const post = (headers: Record<string, string>, body: unknown = { text }): TestRequest => ({
    method: 'POST',
    body,
    headers,
  })
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
  ]
  it.for([...types, 'application/json; charset=utf-16'])(
    'of the type %s is refused with 415',
    async (type) => {
      await refused('/api/v1/prompt', post({ 'content-type': type }), 415, null)
    },
  )

  it('that is compressed is refused with 415', async () => {
    await refused('/api/v1/prompt', post({ 'content-encoding': 'gzip' }), 415, null)
  })

  it('above 1 MiB is refused with 413, with and without a declared length', async () => {
    const large = `{"text":"Hi"${' '.repeat(bodyBytesMax)}}`
    await refused('/api/v1/prompt', post({ 'content-length': String(large.length) }, large), 413, null)
    await refused('/api/v1/prompt', post({}, large), 413, null)
    await refused('/api/v1/prompt', post({}, endless()), 413, null)
  })

  it('of almost 1 MiB is read', async () => {
    await refused('/api/v1/prompt', post({}, `{"txet":"Hi"${' '.repeat(bodyBytesMax - 20)}}`), 400, 'txet')
  })

  it('that breaks off is refused with 400', async () => {
    await refused('/api/v1/prompt', post({}, brokenOff()), 400, null)
  })

  it('where none belongs is refused unless it is empty', async () => {
    const path = `/api/v1/prompts/${id}/cancel`
    await refused(path, { method: 'POST', body: { force: true } }, 400, 'force')
    await refused(path, { method: 'POST', body: {} }, 404, null)
    await refused(path, { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } }, 415, null)
  })
})

/** Path, status, and the field that is named. */
const addresses: [string, number, string | null][] = [
  ['/api/v1/mission/recent?limit=0', 400, 'limit'],
  ['/api/v1/mission/recent?limit=501', 400, 'limit'],
  ['/api/v1/mission/recent?limit=-1', 400, 'limit'],
  ['/api/v1/mission/recent?limit=1e2', 400, 'limit'],
  ['/api/v1/mission/recent?limit=', 400, 'limit'],
  ['/api/v1/mission/recent?limit=%205', 400, 'limit'],
  ['/api/v1/mission/recent?limit=1&limit=2', 400, 'limit'],
  ['/api/v1/mission/recent?limits=5', 400, 'limits'],
  ['/api/v1/mission/recent?since=', 400, 'since'],
  ['/api/v1/mission/recent?since=nonsense', 400, null],
  ['/api/v1/mission/recent?since=%00', 400, null],
  [`/api/v1/mission/recent?since=${'a'.repeat(2_001)}`, 400, 'since'],
  ['/api/v1/mission/recent?before=nonsense', 400, null],
  ['/api/v1/mission/recent?since=a&before=b', 400, 'before'],
  ['/api/v1/mission/events?since=nonsense', 400, null],
  ['/api/v1/mission/events?from=now', 400, 'from'],
  ['/api/v1/mission/views', 400, 'ids'],
  ['/api/v1/mission/views?ids=', 400, 'ids'],
  ['/api/v1/mission/views?ids=a,b', 400, 'ids[0]'],
  [`/api/v1/mission/views?ids=${Array.from({ length: 201 }, () => id).join()}`, 400, 'ids'],
  ['/api/v1/mission/field?x=1', 400, 'x'],
  ['/api/v1/prompts/1', 400, 'prompt_id'],
  ['/api/v1/prompts/%zz', 400, 'prompt_id'],
  ['/api/v1/prompts/%00', 400, 'prompt_id'],
  ['/api/v1/prompts/..%2f..%2fetc', 400, 'prompt_id'],
  [`/api/v1/prompts/${id}`, 404, null],
  [`/api/v1/prompts/${id}/thread?after=nonsense`, 404, null],
  [`/api/v1/prompts/${id}/thread?limit=900`, 400, 'limit'],
]

describe('an address', () => {
  it.for(addresses)('%s is refused with %i', async ([path, status, field]) => {
    await refused(path, {}, status, field)
  })

  it('of a stream, with a Last-Event-ID that is no cursor, is refused before the stream starts', async () => {
    for (const value of ['nonsense', 'x'.repeat(3_000), '0']) {
      await refused('/api/v1/mission/events', { headers: { 'last-event-id': value } }, 400, null)
    }
  })

  it('in a list of what was seen is refused by its place', async () => {
    const post = (body: unknown): TestRequest => ({ method: 'POST', body })
    await refused('/api/v1/prompts/seen', post({ prompts: [] }), 400, 'prompts')
    await refused('/api/v1/prompts/seen', post({ prompts: [{ prompt_id: id }] }), 400, 'prompts[0].job_id')
    const shown = `/api/v1/mission/streams/${id}/shown`
    await refused(
      shown,
      { method: 'PUT', body: { prompt_ids: Array.from({ length: 51 }, () => id) } },
      400,
      'prompt_ids',
    )
    await refused(shown, { method: 'PUT', body: { prompt_ids: [id] } }, 404, null)
  })
})

async function refused(
  path: string,
  request: TestRequest,
  status: number,
  field: string | null,
): Promise<void> {
  const before = await rows()
  const answer = await http.call(path, { cookie, ...request })
  const told = problem.parse(await answer.json())
  expect([answer.status, told.detail]).toEqual([status, expect.stringMatching(/\w+ \w+/)])
  if (field !== null) expect(told.errors?.map((error) => error.field)).toContain(field)
  expect(told.detail).not.toMatch(/Invalid input|undefined|expected \w+,/)
  expect(await rows()).toEqual(before)
}

async function rows(): Promise<unknown> {
  return db.database.rows(sql`
    select (select count(*) from entity) as entities, (select count(*) from job) as jobs,
      (select count(*) from event) as events, (select count(*) from seen) as seen`)
}

/** A body whose length nobody declares and whose end never comes. */
function endless(): ReadableStream<Uint8Array> {
  return new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(0x20)) })
}

function brokenOff(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(new TextEncoder().encode('{"text":"H'))
      controller.error(new Error('connection reset'))
    },
  })
}
