import { sql } from 'drizzle-orm'
import { v7 as uuidV7 } from 'uuid'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ActionsResponse } from '../../shared/contracts/actions.ts'
import { type BulkResponse, batchProgress, bulkResponse } from '../../shared/contracts/bulk.ts'
import { failure } from '../domain/failure.ts'
import { until } from '../execution/testing/until.ts'
import { type TestDatabase, testDatabase } from '../store/testing/test-database.ts'
import { testHttp } from './testing/test-http.ts'

const path = '/api/v1/prompts/bulk'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

async function setup(submitsPerMinute = 100_000) {
  const http = testHttp(db.database, { settings: { submitsPerMinute } })
  const { cookie } = await http.visitor()
  const post = (body: unknown, address = path) => http.call(address, { method: 'POST', cookie, body })
  const lines = (body: string, query = '', type = 'application/x-ndjson') =>
    http.call(`${path}${query}`, { method: 'POST', cookie, body, headers: { 'content-type': type } })
  const answered = async (response: Promise<Response>): Promise<BulkResponse> => {
    const answer = await response
    expect(answer.status).toBe(202)
    return bulkResponse.parse(await answer.json())
  }
  return { ...http, cookie, post, lines, answered }
}

/** The fields that each line's problem names; null where it has none. */
function named({ outcomes }: BulkResponse): (string[] | null)[] {
  return outcomes.map(({ problem }) => problem?.errors?.map(({ field }) => field) ?? null)
}

async function jobs(): Promise<number> {
  const [row] = await db.database.rows<{ n: number }>(sql`select count(*) as n from job`)
  return row?.n ?? 0
}

const id = uuidV7()
/** A line and the field of it that its refusal names. */
const badLines: [string, unknown, string][] = [
  ['that is no object', 'Hi', 'prompts.1'],
  ['that is null', null, 'prompts.1'],
  ['without text', {}, 'prompts.1.text'],
  ['of blank text', { text: ' \n' }, 'prompts.1.text'],
  ['with NUL in its text', { text: 'a\u0000b' }, 'prompts.1.text'], // R083
  ['with half a character in its text', { text: '\ud800' }, 'prompts.1.text'], // R083
  ['with an unknown field', { text: 'Hi', txet: 'Ho' }, 'prompts.1.txet'],
  ['with an unknown option', { text: 'Hi', options: { prio: 5 } }, 'prompts.1.options.prio'],
  ['of the priority 101', { text: 'Hi', options: { priority: 101 } }, 'prompts.1.options.priority'],
  ['of the priority -1', { text: 'Hi', options: { priority: -1 } }, 'prompts.1.options.priority'],
  ['with an id that is no UUID', { text: 'Hi', prompt_id: '1' }, 'prompts.1.prompt_id'],
  ['after something that is no id', { text: 'Hi', options: { after: 'first' } }, 'prompts.1.options.after'],
  ['after itself', { prompt_id: id, text: 'Hi', options: { after: id } }, 'prompts.1.options.after'],
  ['after nothing known', { text: 'Hi', options: { after: id } }, 'prompts.1.options.after'],
  ['continuing nothing known', { text: 'Hi', parent_id: id }, 'prompts.1.parent_id'],
  ['continuing itself', { prompt_id: id, text: 'Hi', parent_id: id }, 'prompts.1.parent_id'],
  ['with parent and root', { text: 'Hi', parent_id: id, root_entity_id: id }, 'prompts.1.parent_id'],
  ['with a template', { text: 'Hi', options: { template: 'slurm' } }, 'prompts.1.options.template'],
]

describe('a line', () => {
  it.for(badLines)('%s is its own refusal, and all of them if atomic', async ([, bad, field]) => {
    const { post, answered } = await setup()
    const prompts = [{ text: 'Good' }, bad]
    const all = await answered(post({ prompts, atomic: true }))
    expect(all.outcomes.map(({ status }) => status)).toEqual(['refused', 'refused'])
    expect([named(all)[1]?.[0], all.batch_id, await jobs()]).toEqual([field, null, 0])
    const some = await answered(post({ prompts }))
    expect(some.outcomes.map(({ status }) => status)).toEqual(['accepted', 'refused'])
    expect(named(some)).toEqual([null, [field]])
    expect(some.outcomes[1]?.problem?.detail).toMatch(/^prompts\.1: \S/)
    expect(await jobs()).toBe(1)
  })
})

describe('a bulk request', () => {
  it.for([
    ['without lines', { prompts: [] }, 'prompts'],
    ['of 1,001 lines', { prompts: Array.from({ length: 1_001 }, () => ({ text: 'Hi' })) }, 'prompts'],
    ['whose lines are no list', { prompts: { text: 'Hi' } }, 'prompts'],
    ['of nothing', undefined, ''],
    ['with an unknown field', { prompts: [{ text: 'Hi' }], atomics: true }, 'atomics'],
    ['atomic in words', { prompts: [{ text: 'Hi' }], atomic: 'yes' }, 'atomic'],
  ] as const)('%s is refused as a whole', async ([, body, field]) => {
    const { post } = await setup()
    const answer = await post(body)
    expect(answer.status).toBe(400)
    expect((await answer.json()).errors).toMatchObject([{ field }])
    expect(await jobs()).toBe(0)
  })

  it('says once, and in words it knows, whether it is atomic', async () => {
    const { post } = await setup()
    const body = { prompts: [{ text: 'Hi' }] }
    expect((await post(body, `${path}?atomic=1`)).status).toBe(400)
    expect((await post({ ...body, atomic: true }, `${path}?atomic=true`)).status).toBe(400)
    expect((await post(body, `${path}?atomic=true`)).status).toBe(202)
  })

  it('of 1,000 lines counts once against the limit, and is there when it is answered', async () => {
    const { post, answered } = await setup(2)
    const prompts = Array.from({ length: 1_000 }, (_, index) => ({ text: `Prompt ${index}` }))
    const { outcomes } = await answered(post({ prompts }))
    expect(outcomes.map(({ index }) => index)).toEqual(prompts.map((_, index) => index))
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['accepted']))
    expect(await jobs()).toBe(1_000)
    const again = await answered(post({ prompts }))
    expect(again.outcomes).toEqual(outcomes.map((outcome) => ({ ...outcome, status: 'already_accepted' })))
    expect(await jobs()).toBe(1_000)
    expect((await post({ prompts })).status).toBe(429)
  })

  it('above 1 MiB is refused', async () => {
    const { post, lines } = await setup()
    const prompts = Array.from({ length: 6 }, () => ({ text: 'a'.repeat(190_000) }))
    expect((await post({ prompts })).status).toBe(413)
    expect((await lines(prompts.map((line) => JSON.stringify(line)).join('\n'))).status).toBe(413)
  })
})

describe('NDJSON', () => {
  it('is taken line by line, with either name, with or without a last line break or blank lines', async () => {
    const { lines, answered } = await setup()
    const first = await answered(lines('{"text":"One"}\n{"text":"Two"}'))
    const again = await answered(lines('{"text":"One"}\r\n\n{"text":"Two"}\r\n', '', 'application/jsonl'))
    expect(first.outcomes.map(({ status }) => status)).toEqual(['accepted', 'accepted'])
    expect(again.outcomes).toEqual(
      first.outcomes.map((outcome) => ({ ...outcome, status: 'already_accepted' })),
    )
  })

  it('is the same request as the same lines in JSON', async () => {
    const { lines, post, answered } = await setup()
    const prompts = [{ text: 'One', options: { depth: 1, priority: 2 } }]
    const first = await answered(post({ prompts }))
    const again = await answered(lines('{"options":{"priority":2,"depth":1},"text":"One"}'))
    expect([again.batch_id, again.outcomes[0]?.status]).toEqual([first.batch_id, 'already_accepted'])
  })

  it('with a broken line has that line refused, or all if atomic', async () => {
    const { lines, answered } = await setup()
    const body =
      '{"text":"One"}\n{"text":"Tw\n{"text":"Three"}\n{"text":"a","text":"b"}\n{"text":"a\\u0000"}\n[]'
    const all = await answered(lines(body, '?atomic=true'))
    expect(new Set(all.outcomes.map(({ status }) => status))).toEqual(new Set(['refused']))
    expect(await jobs()).toBe(0)
    const some = await answered(lines(body))
    expect(named(some)).toEqual([null, ['prompts.1'], null, ['prompts.3'], ['prompts.4.text'], ['prompts.5']])
    expect(some.outcomes[1]?.problem?.detail).toBe('prompts.1: The line must be valid JSON.')
    expect(await jobs()).toBe(2)
  })

  it('with an empty body, blank lines only, or 1,001 lines is refused as a whole', async () => {
    const { lines } = await setup()
    for (const body of ['', '\n \n', '{"text":"Hi"}\n'.repeat(1_001)]) {
      const answer = await lines(body)
      expect([answer.status, (await answer.json()).errors?.[0]?.field]).toEqual([400, 'prompts'])
    }
  })

  it('is refused where no lines are taken, and so are other media here', async () => {
    const { call, cookie, lines } = await setup()
    const headers = { 'content-type': 'application/x-ndjson' }
    const single = await call('/api/v1/prompt', { method: 'POST', cookie, body: '{"text":"Hi"}', headers })
    expect(single.status).toBe(415)
    for (const type of ['text/plain', 'application/x-ndjson; charset=utf-16', 'application/json-seq']) {
      expect((await lines('{"text":"Hi"}', '', type)).status).toBe(415)
    }
  })
})

describe('a batch', () => {
  it('tells how many of it have settled, and is nobody else’s', async () => {
    const { post, answered, json, cookie, call, visitor, worker, provider } = await setup()
    const { batch_id } = await answered(post({ prompts: [{ text: '1' }, { text: '2' }, { text: '3' }] }))
    const address = `/api/v1/batches/${batch_id}`
    const counts = { queued: 0, running: 0, succeeded: 0, failed: 0, cancelled: 0 }
    const progress = async () => batchProgress.parse(await json(address, { cookie }))
    expect(await progress()).toMatchObject({ batch_id, total: 3, counts: { ...counts, queued: 3 }, done: 0 })
    await worker.claimOnce()
    expect(await progress()).toMatchObject({ counts: { ...counts, running: 3 }, done: 0 })
    ;(await provider.call(0)).answer('Done')
    ;(await provider.call(1)).fail({ failure: failure('auth', 'No key.') })
    ;(await provider.call(2)).fail({ failure: failure('auth', 'No key.') })
    await worker.idle()
    expect(await progress()).toMatchObject({
      total: 3,
      counts: { ...counts, succeeded: 1, failed: 2 },
      done: 3,
    })
    const stranger = await visitor()
    for (const [method, end] of [
      ['GET', ''],
      ['POST', '/retry'],
      ['POST', '/cancel'],
    ] as const) {
      expect((await call(`${address}${end}`, { method, cookie: stranger.cookie })).status).toBe(404)
      expect((await call(`/api/v1/batches/${uuidV7()}${end}`, { method, cookie })).status).toBe(404)
      expect((await call(`/api/v1/batches/7${end}`, { method, cookie })).status).toBe(400)
    }
    expect((await progress()).counts.failed).toBe(2)
  })

  it('has what failed retried together, and what is open cancelled together', async () => {
    const { post, answered, json, call, cookie, worker, provider } = await setup()
    const prompts = ['1', '2', '3', '4'].map((text) => ({ text }))
    const { batch_id, outcomes } = await answered(post({ prompts }))
    const act = async (verb: string): Promise<ActionsResponse> => {
      const answer = await call(`/api/v1/batches/${batch_id}/${verb}`, { method: 'POST', cookie })
      expect(answer.status).toBe(200)
      return answer.json()
    }
    expect(await act('retry')).toEqual({ outcomes: [] })
    await worker.claimOnce()
    ;(await provider.call(0)).answer('Done')
    for (const index of [1, 2]) (await provider.call(index)).fail({ failure: failure('auth', 'No key.') })
    const settled = async () => (await json(`/api/v1/batches/${batch_id}`, { cookie })).done
    await until(async () => (await settled()) === 3)
    const retried = await act('retry')
    const failed = provider.calls.slice(1, 3).map((made) => made.request.turns[0]?.text)
    const expected = outcomes
      .filter(({ index }) => failed.includes(String(index + 1)))
      .map((one) => one.prompt_id)
    expect(retried.outcomes.map((one) => one.prompt_id).sort()).toEqual(expected.sort())
    expect(retried.outcomes.map(({ status, state }) => [status, state])).toEqual([
      ['done', 'queued'],
      ['done', 'queued'],
    ])
    const cancelled = await act('cancel')
    expect(cancelled.outcomes.map(({ status, state }) => [status, state])).toEqual(
      Array.from({ length: 3 }, () => ['done', 'cancelled']),
    )
    await worker.idle()
    const progress = batchProgress.parse(await json(`/api/v1/batches/${batch_id}`, { cookie }))
    expect(progress).toMatchObject({ total: 4, counts: { succeeded: 1, cancelled: 3, failed: 0 }, done: 4 })
  })
})
