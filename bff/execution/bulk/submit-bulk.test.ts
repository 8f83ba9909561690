import { sql } from 'drizzle-orm'
import { v7 as uuidV7 } from 'uuid'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SubmitRequest } from '../../../shared/submit.ts'
import { type TestDatabase, testDatabase } from '../../store/testing/test-database.ts'
import { cancelPrompt } from '../cancel-prompt.ts'
import type { Scope } from '../context.ts'
import { submitPrompt } from '../submit-prompt.ts'
import { testExecution } from '../testing/test-execution.ts'
import type { BulkLine } from './bulk-line.ts'
import { submitBulk } from './submit-bulk.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

async function setup() {
  const test = testExecution(db.database)
  const me = await test.person()
  const send = (requests: readonly SubmitRequest[], atomic = false, who: Scope = me) =>
    submitBulk(test.execution, who, { lines: requests.map(asLine), atomic })
  return { ...test, me, send }
}

function asLine(request: SubmitRequest): BulkLine {
  return { raw: structuredClone(request), request }
}

type Result = Awaited<ReturnType<typeof submitBulk>>

const statuses = ({ outcomes }: Result) => outcomes.map(({ status }) => status)
const ids = ({ outcomes }: Result) => outcomes.map(({ promptId }) => promptId ?? '')

/** Code and named fields of each line's refusal, null where it was not refused. */
function refusals({ outcomes }: Result): unknown[] {
  return outcomes.map((outcome) =>
    outcome.status === 'refused'
      ? [outcome.error.code, ...(outcome.error.details.errors ?? []).map(({ field }) => field)]
      : null,
  )
}

async function rows() {
  return db.database.rows<{
    body: string
    parent_id: string | null
    thread: string
    after: string | null
  }>(sql`
    select p.body, p.parent_id, p.correlation_id as thread, j.blocked_by as after
    from entity p join job j on j.prompt_id = p.id order by p.created_at, p.id`)
}

describe('a bulk request', () => {
  it('is kept in one transaction, in the order of the request, and answered line by line', async () => {
    const { send, execution, me, clock } = await setup()
    await submitPrompt(execution, me, { text: 'Warm up' })
    await db.truncate()
    const texts = Array.from({ length: 30 }, (_, index) => `Prompt ${index}`)
    const before = db.database.statementCount()
    const result = await send(texts.map((text) => ({ text })))
    const cost = db.database.statementCount() - before
    expect(statuses(result)).toEqual(texts.map(() => 'accepted'))
    expect((await rows()).map(({ body }) => body)).toEqual(texts)
    await db.truncate()
    const again = db.database.statementCount()
    await send([...texts, ...texts, ...texts].map((text) => ({ text })))
    expect(db.database.statementCount() - again).toBe(cost)
    const [times] = await db.database.rows<{ last: Date }>(sql`select max(created_at) as last from entity`)
    expect(times?.last).toEqual(clock.now())
  })

  it('has the priority 60 unless a line says otherwise, and a batch that its jobs name', async () => {
    const { send, me } = await setup()
    const result = await send([{ text: 'One' }, { text: 'Two', options: { priority: 5 } }])
    const jobs = await db.database.rows(sql`
      select j.priority, j.batch_id, b.total, b.created_by from job j join batch b on b.id = j.batch_id order by j.id`)
    const batch = { batch_id: result.batchId, total: 2, created_by: me.personId }
    expect(jobs).toEqual([
      { priority: 60, ...batch },
      { priority: 5, ...batch },
    ])
  })

  it('sent again adds nothing and answers the same ids; another’s is another', async () => {
    const { send, person, clock } = await setup()
    const requests = [{ text: 'Same' }, { text: 'Same' }, { prompt_id: uuidV7(), text: 'Named' }]
    const first = await send(requests)
    expect(statuses(first)).toEqual(['accepted', 'accepted', 'accepted'])
    expect(new Set(ids(first)).size).toBe(3)
    clock.advance(60_000)
    const again = await send(requests, true)
    expect(again).toEqual({
      batchId: first.batchId,
      outcomes: first.outcomes.map((outcome) => ({ ...outcome, status: 'already_accepted' })),
    })
    expect(await db.database.rows(sql`select total from batch`)).toEqual([{ total: 3 }])
    const theirs = await send(requests.slice(0, 2), false, await person())
    expect(statuses(theirs)).toEqual(['accepted', 'accepted'])
    expect(ids(theirs)).not.toContain(ids(first)[0])
    expect(theirs.batchId).not.toBe(first.batchId)
  })

  it('with other text, order or length is another request', async () => {
    const { send } = await setup()
    const [one, two] = [{ text: 'One' }, { text: 'Two' }]
    const results = [
      await send([one, two]),
      await send([two, one]),
      await send([one]),
      await send([one, two, one]),
    ]
    const all = results.flatMap(ids)
    expect(new Set(all).size).toBe(all.length)
    expect(results.flatMap(statuses)).not.toContain('already_accepted')
  })

  it('answers a line that was sent alone before as accepted already, and leaves it out of the batch', async () => {
    const { send, execution, me } = await setup()
    const request = { prompt_id: uuidV7(), text: 'Before' }
    const { job_id } = await submitPrompt(execution, me, request)
    const result = await send([request])
    expect(result).toEqual({
      batchId: null,
      outcomes: [{ index: 0, status: 'already_accepted', promptId: request.prompt_id, jobId: job_id }],
    })
    expect(statuses(await send([request, { text: 'New' }]))).toEqual(['already_accepted', 'accepted'])
    expect(await db.database.rows(sql`select total from batch`)).toEqual([{ total: 1 }])
  })

  it('that brings more when sent again adds it to its batch', async () => {
    const { send, execution, me } = await setup()
    const parent_id = uuidV7()
    const requests = [{ text: 'Good' }, { text: 'Early', parent_id }]
    const first = await send(requests)
    expect(statuses(first)).toEqual(['accepted', 'refused'])
    await submitPrompt(execution, me, { prompt_id: parent_id, text: 'Parent' })
    const again = await send(requests)
    expect(statuses(again)).toEqual(['already_accepted', 'accepted'])
    expect(again.batchId).toBe(first.batchId)
    expect(await db.database.rows(sql`select total from batch`)).toEqual([{ total: 2 }])
  })
})

describe('lines that name one another', () => {
  it('may do so in any order: as parents, as roots and as predecessors', async () => {
    const { send } = await setup()
    const [a, b, c, d, e] = [uuidV7(), uuidV7(), uuidV7(), uuidV7(), uuidV7()]
    const result = await send([
      { prompt_id: c, text: 'c', parent_id: b },
      { prompt_id: b, text: 'b', parent_id: a },
      { prompt_id: a, text: 'a' },
      { prompt_id: d, text: 'd', options: { after: c } },
      { prompt_id: e, text: 'e', root_entity_id: a },
    ])
    expect(statuses(result)).toEqual(['accepted', 'accepted', 'accepted', 'accepted', 'accepted'])
    const stored = new Map((await rows()).map(({ body, ...row }) => [body, row]))
    expect(Object.fromEntries(stored)).toEqual({
      a: { parent_id: null, thread: a, after: null },
      b: { parent_id: a, thread: a, after: a },
      c: { parent_id: b, thread: a, after: b },
      d: { parent_id: null, thread: d, after: c },
      e: { parent_id: c, thread: a, after: c },
    })
    const inTime = [...stored.keys()]
    expect(inTime.indexOf('a')).toBeLessThan(inTime.indexOf('b'))
    expect(inTime.indexOf('b')).toBeLessThan(inTime.indexOf('c'))
  })

  it('to one stored thread line up behind its newest leaf, none older than what it continues', async () => {
    const { send, execution, me } = await setup()
    const root = await submitPrompt(execution, me, { text: 'Root' })
    const result = await send(['1', '2', '3'].map((text) => ({ text, root_entity_id: root.prompt_id })))
    const stored = await rows()
    expect(stored.map(({ body }) => body)).toEqual(['Root', '1', '2', '3'])
    expect(stored.map(({ parent_id }) => parent_id)).toEqual([
      null,
      root.prompt_id,
      ...ids(result).slice(0, 2),
    ])
  })

  it('run one after the other, down a chain of a thousand', async () => {
    const { send, worker, provider } = await setup()
    const chain = Array.from({ length: 1_000 }, () => uuidV7())
    const requests = chain.map((prompt_id, index) => ({
      prompt_id,
      text: `Link ${index}`,
      ...(index > 0 && { options: { after: chain[index - 1] } }),
    }))
    const result = await send(requests.reverse())
    expect(new Set(statuses(result))).toEqual(new Set(['accepted']))
    for (let index = 0; index < 3; index++) {
      expect(await worker.claimOnce()).toMatchObject({ claimed: 1 })
      const call = await provider.call(index)
      expect(call.request.turns.at(-1)?.text).toBe(`Link ${index}`)
      call.answer('Done')
      await worker.idle()
    }
  })

  it('in a circle are refused, each naming the others; who leads into it is refused for that', async () => {
    const { send } = await setup()
    const [a, b, c, d, e, f, g] = [uuidV7(), uuidV7(), uuidV7(), uuidV7(), uuidV7(), uuidV7(), uuidV7()]
    const result = await send([
      { prompt_id: a, text: 'a', options: { after: b } },
      { prompt_id: b, text: 'b', parent_id: a },
      { prompt_id: c, text: 'c', options: { after: d } },
      { prompt_id: d, text: 'd', options: { after: e } },
      { prompt_id: e, text: 'e', root_entity_id: c },
      { prompt_id: f, text: 'f', options: { after: e } },
      { prompt_id: g, text: 'g', options: { after: g } },
      { text: 'Fine' },
    ])
    expect(refusals(result)).toEqual([
      ['invalid_request', 'prompts.0.options.after'],
      ['invalid_request', 'prompts.1.parent_id'],
      ['invalid_request', 'prompts.2.options.after'],
      ['invalid_request', 'prompts.3.options.after'],
      ['invalid_request', 'prompts.4.root_entity_id'],
      ['invalid_request', 'prompts.5.options.after'],
      ['invalid_request', 'prompts.6.options.after'],
      null,
    ])
    const words = result.outcomes.map((outcome) =>
      outcome.status === 'refused' ? outcome.error.message : '',
    )
    expect(words[0]).toContain('circle with prompts.1')
    expect(words[3]).toContain('circle with prompts.2, prompts.4')
    expect(words[5]).toContain('names prompts.4, which was refused')
    expect(words[6]).toContain('itself')
    expect(await rows()).toHaveLength(1)
  })

  it('fall with the one they name, down the line', async () => {
    const { send } = await setup()
    const [bad, next] = [uuidV7(), uuidV7()]
    const result = await send([
      { text: 'Last', parent_id: next },
      { prompt_id: next, text: 'Next', options: { after: bad } },
      { prompt_id: bad, text: 'Bad', options: { prefer_provider: 'nobody' } },
    ])
    expect(refusals(result)).toEqual([
      ['invalid_request', 'prompts.0.parent_id'],
      ['invalid_request', 'prompts.1.options.after'],
      ['invalid_request', 'prompts.2.options.prefer_provider'],
    ])
    expect(await rows()).toEqual([])
  })

  it('wait for one other at most', async () => {
    const { send } = await setup()
    const [a, b] = [uuidV7(), uuidV7()]
    const result = await send([
      { prompt_id: a, text: 'a' },
      { prompt_id: b, text: 'b' },
      { text: 'Torn', parent_id: a, options: { after: b } },
      { text: 'Same', parent_id: a, options: { after: a } },
    ])
    expect(refusals(result)).toEqual([null, null, ['two_predecessors', 'prompts.2.options.after'], null])
  })

  it('and what is stored: held where that was cancelled', async () => {
    const { send, execution, me } = await setup()
    const first = await submitPrompt(execution, me, { text: 'First' })
    await cancelPrompt(execution, me, first.prompt_id)
    await send([{ text: 'Next', options: { after: first.prompt_id } }])
    const held = await db.database.rows(sql`select blocked_by, hold_reason from job where state = 'queued'`)
    expect(held).toEqual([{ blocked_by: first.prompt_id, hold_reason: 'cancelled' }])
  })
})

describe('bad lines', () => {
  const halfBad = (foreign: string): SubmitRequest[] => {
    const twice = uuidV7()
    return [
      { text: 'Good' },
      { text: 'Foreign', options: { after: foreign } },
      { text: 'Unknown', options: { after: uuidV7() } },
      { prompt_id: twice, text: 'Good too' },
      { prompt_id: twice, text: 'Good too' },
      { text: 'Past', options: { scheduled_for: '1999-01-01T00:00:00Z' } },
    ]
  }

  it('are named while the good ones are kept', async () => {
    const { send, execution, person } = await setup()
    const { prompt_id } = await submitPrompt(execution, await person(), { text: 'Private' })
    const result = await send(halfBad(prompt_id))
    expect(refusals(result)).toEqual([
      null,
      ['invalid_request', 'prompts.1.options.after'],
      ['invalid_request', 'prompts.2.options.after'],
      null,
      ['invalid_request', 'prompts.4.prompt_id'],
      ['invalid_request', 'prompts.5.options.scheduled_for'],
    ])
    expect((await rows()).map(({ body }) => body).sort()).toEqual(['Good', 'Good too', 'Private'])
    expect(await db.database.rows(sql`select total from batch`)).toEqual([{ total: 2 }])
  })

  it('refuse all of an atomic request, and nothing of it is left behind', async () => {
    const { send, execution, person } = await setup()
    const { prompt_id } = await submitPrompt(execution, await person(), { text: 'Private' })
    const count = () =>
      db.database.rows(sql`select (select count(*) from event) as e, (select count(*) from job) as j,
      (select count(*) from thread) as t, (select count(*) from batch) as b, (select count(*) from entity) as n`)
    const before = await count()
    const requests = halfBad(prompt_id)
    const result = await send(requests, true)
    expect(result.batchId).toBeNull()
    expect(statuses(result)).toEqual(requests.map(() => 'refused'))
    expect(refusals(result)).toMatchObject([
      ['invalid_request', 'prompts.0'],
      ['invalid_request', 'prompts.1.options.after'],
      ['invalid_request', 'prompts.2.options.after'],
      ['invalid_request', 'prompts.3'],
      ['invalid_request', 'prompts.4.prompt_id'],
      ['invalid_request', 'prompts.5.options.scheduled_for'],
    ])
    const [first] = result.outcomes
    expect(first?.status === 'refused' && first.error.message).toContain(
      'prompts.1, prompts.2, prompts.4, prompts.5 were refused',
    )
    expect(await count()).toEqual(before)
    expect(statuses(await send([{ text: 'One' }, { text: 'Two' }], true))).toEqual(['accepted', 'accepted'])
  })

  it('that take the id of another prompt say so, and tell nothing of a stranger’s', async () => {
    const { send, execution, me, person } = await setup()
    const mine = await submitPrompt(execution, me, { text: 'Mine' })
    const theirs = await submitPrompt(execution, await person(), { text: 'Theirs' })
    const result = await send([
      { prompt_id: mine.prompt_id, text: 'Other' },
      { prompt_id: theirs.prompt_id, text: 'Theirs' },
    ])
    expect(refusals(result)).toEqual([
      ['prompt_conflict', 'prompts.0.prompt_id'],
      ['not_found', 'prompts.1'],
    ])
  })
})
