import { sql } from 'drizzle-orm'
import { v7 as uuidV7 } from 'uuid'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { failure } from '../../domain/failure.ts'
import type { Database } from '../../store/database/database.ts'
import { openPostgres } from '../../store/database/postgres/open-postgres.ts'
import { type TestPostgres, testPostgres } from '../../store/testing/test-postgres.ts'
import { cancelPrompt } from '../cancel-prompt.ts'
import { retryPrompt } from '../retry-prompt.ts'
import { submitPrompt } from '../submit-prompt.ts'
import { type TestExecution, testExecution } from '../testing/test-execution.ts'
import { until } from '../testing/until.ts'
import { type BulkResult, submitBulk } from './submit-bulk.ts'

/** Two processes on one PostgreSQL: each with its own pool, its own queue of submits and its own worker. */
let test: TestPostgres
let other: Database
beforeAll(async () => {
  test = await testPostgres()
  other = await openPostgres({ url: test.url })
})
beforeEach(() => test.truncate())
afterAll(async () => {
  await other.close()
  await test.close()
})

async function setup() {
  const one = testExecution(test.database, { orgConcurrency: 1_000 }, { workerId: 'one' })
  const two = testExecution(other, { orgConcurrency: 1_000 }, { clock: one.clock, workerId: 'two' })
  return { one, two, me: await one.person() }
}

const bulkOf = (requests: readonly { prompt_id?: string; text: string; options?: { after?: string } }[]) => ({
  lines: requests.map((request) => ({ raw: request, request })),
  atomic: false,
})

const statusesOf = ({ outcomes }: BulkResult) => outcomes.map(({ status }) => status)

async function waits(promptId: string) {
  const [row] = await test.database.rows(sql`
    select blocked_by, hold_reason from job where prompt_id = ${promptId}::uuid and state <> 'superseded'`)
  return row
}

/** Claims until there was something to claim, and settles it as `end` says. */
async function settleAll({ worker, provider }: TestExecution, end: 'succeed' | 'fail'): Promise<void> {
  const before = provider.calls.length
  let claimed = 0
  // A claim passes by what a submit of a follower holds at that moment.
  await until(async () => {
    claimed = (await worker.claimOnce()).claimed
    return claimed > 0
  })
  for (let index = before; index < before + claimed; index++) {
    const call = await provider.call(index)
    if (end === 'succeed') call.answer('Done')
    else call.fail({ failure: failure('auth', 'No key.') })
  }
  await worker.idle()
}

describe('followers that are submitted while the first settles', () => {
  it.each(['succeed', 'fail'] as const)('(%s), singly and in bulk, never wait for ever', async (end) => {
    const { one, two, me } = await setup()
    for (let round = 0; round < 15; round++) {
      const first = await submitPrompt(one.execution, me, { text: 'First' })
      const request = { text: 'Next', options: { after: first.prompt_id } }
      const answers = await Promise.all([
        settleAll(one, end).then(() => []),
        ...Array.from({ length: 20 }, async (_, index) => {
          const { execution } = index % 2 ? one : two
          if (index % 4 > 1) return [(await submitPrompt(execution, me, request)).prompt_id]
          const { outcomes } = await submitBulk(execution, me, bulkOf([{ ...request, text: `${index}` }]))
          return outcomes.map(({ promptId }) => promptId ?? '')
        }),
      ])
      const followers = answers.flat()
      expect(followers).toHaveLength(20)
      const held = end === 'fail' ? { blocked_by: first.prompt_id, hold_reason: 'failed' } : null
      for (const id of followers) {
        expect(await waits(id)).toEqual(held ?? { blocked_by: null, hold_reason: null })
      }
      await test.truncate()
      await one.person()
    }
  })

  it('are stored when it is retried at that moment', async () => {
    const { one, two, me } = await setup()
    const { prompt_id } = await submitPrompt(one.execution, me, { text: 'First' })
    for (let round = 0; round < 40; round++) {
      await cancelPrompt(one.execution, me, prompt_id)
      const options = { after: prompt_id }
      const [, single, bulk] = await Promise.all([
        retryPrompt(one.execution, me, prompt_id),
        submitPrompt(two.execution, me, { text: 'Next', options }),
        submitBulk(one.execution, me, bulkOf([{ text: `Next ${round}`, options }])),
      ])
      for (const id of [single.prompt_id, bulk.outcomes[0]?.promptId ?? '']) {
        expect(await waits(id)).toEqual({ blocked_by: prompt_id, hold_reason: null })
        await cancelPrompt(one.execution, me, id)
      }
    }
  })

  it('do not continue an unfinished prompt and run after another, though that becomes unfinished meanwhile', async () => {
    const { one, two, me } = await setup()
    const parent = await submitPrompt(one.execution, me, { text: 'Parent' })
    const before = await submitPrompt(one.execution, me, { text: 'Before' })
    for (let round = 0; round < 40; round++) {
      await cancelPrompt(one.execution, me, parent.prompt_id)
      const request = { text: 'Next', parent_id: parent.prompt_id, options: { after: before.prompt_id } }
      const [, next] = await Promise.allSettled([
        retryPrompt(one.execution, me, parent.prompt_id),
        submitPrompt(two.execution, me, request),
      ])
      if (next.status === 'rejected') expect(next.reason).toMatchObject({ code: 'two_predecessors' })
      else {
        expect(await waits(next.value.prompt_id)).toEqual({ blocked_by: before.prompt_id, hold_reason: null })
      }
    }
  })
})

describe('bulk requests of two processes', () => {
  // R013
  it('that are the same, ten at once, add once and answer alike', async () => {
    const { one, two, me } = await setup()
    for (let round = 0; round < 5; round++) {
      const named = uuidV7()
      const requests = Array.from({ length: 100 }, (_, index) =>
        index === 50
          ? { prompt_id: named, text: 'Named' }
          : { text: `Round ${round}, line ${index}`, ...(index % 7 === 3 && { options: { after: named } }) },
      )
      const results = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          submitBulk((index % 2 ? one : two).execution, me, bulkOf(requests)),
        ),
      )
      const accepted = results.filter((result) => statusesOf(result).includes('accepted'))
      expect(accepted).toHaveLength(1)
      const answers = results.map(({ batchId, outcomes }) =>
        JSON.stringify([
          batchId,
          outcomes.map((one) => one.status !== 'refused' && [one.promptId, one.jobId]),
        ]),
      )
      expect(new Set(answers).size).toBe(1)
    }
    const counts = await test.database.rows(sql`
      select (select count(*) from job) as jobs, (select count(*) from event) as events,
        (select sum(total) from batch) as total, (select count(*) from job where batch_id is null) as strays`)
    expect(counts).toEqual([{ jobs: 500, events: 500, total: 500, strays: 0 }])
  })

  it('that have ids in common, in other orders, keep each once and never lock one another out', async () => {
    const { one, two, me } = await setup()
    for (let round = 0; round < 10; round++) {
      const requests = Array.from({ length: 60 }, (_, index) => ({
        prompt_id: uuidV7(),
        text: `Line ${index}`,
      }))
      const results = await Promise.all([
        submitBulk(one.execution, me, bulkOf(requests)),
        submitBulk(two.execution, me, bulkOf(requests.toReversed())),
        ...requests.map((request, index) =>
          index % 10 === 0 ? submitPrompt(two.execution, me, request) : Promise.resolve(null),
        ),
      ])
      expect(results.slice(0, 2)).toHaveLength(2)
      const [row] = await test.database.rows<{ jobs: number; total: number }>(sql`
        select (select count(*) from job) as jobs, (select count(*) from job where batch_id is not null) as batched,
          (select sum(total) from batch) as total`)
      expect(row).toMatchObject({ jobs: 60 * (round + 1) })
    }
    const [sums] = await test.database.rows<{ batched: number; total: number }>(sql`
      select (select count(*) from job where batch_id is not null) as batched, (select sum(total) from batch) as total`)
    expect(sums?.total).toBe(sums?.batched)
  })
})
