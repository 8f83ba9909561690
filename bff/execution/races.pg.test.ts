import { sql } from 'drizzle-orm'
import { v7 as uuidV7 } from 'uuid'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../store/database/database.ts'
import { openPostgres } from '../store/database/postgres/open-postgres.ts'
import { type TestPostgres, testPostgres } from '../store/testing/test-postgres.ts'
import { cancelPrompt } from './cancel-prompt.ts'
import { retryPrompt } from './retry-prompt.ts'
import { submitPrompt } from './submit-prompt.ts'
import { testExecution } from './testing/test-execution.ts'

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
  const one = testExecution(test.database, {}, { workerId: 'one' })
  const two = testExecution(other, {}, { clock: one.clock, workerId: 'two' })
  return { one, two, me: await one.person() }
}

describe('two processes', () => {
  // R013
  it('that get the same submit at once store it once and answer alike', async () => {
    const { one, two, me } = await setup()
    for (let round = 0; round < 20; round++) {
      const request = { prompt_id: uuidV7(), text: `Round ${round}` }
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          submitPrompt((index % 2 ? one : two).execution, me, request),
        ),
      )
      expect(new Set(answers.map((answer) => answer.job_id)).size).toBe(1)
    }
    expect(await test.database.rows(sql`select count(*) as n from job`)).toEqual([{ n: 20 }])
  })

  it('run every job once between them', async () => {
    const { one, two, me } = await setup()
    await Promise.all(Array.from({ length: 60 }, () => submitPrompt(one.execution, me, { text: 'Ask' })))
    for (const { provider } of [one, two]) answerAll(provider)
    const work = async ({ worker }: typeof one): Promise<void> => {
      while ((await worker.claimOnce()).claimed > 0) await worker.idle()
    }
    await Promise.all([work(one), work(two)])
    const [counts] = await test.database.rows(sql`
      select count(*) as jobs, sum(run) as runs, count(*) filter (where state = 'succeeded') as done,
        (select count(*) from entity where kind = 'response') as responses, (select count(*) from ledger) as ledger
      from job`)
    expect(counts).toEqual({ jobs: 60, runs: 60, done: 60, responses: 60, ledger: 60 })
  })

  it('accept a prompt that continues one which is retried at that moment', async () => {
    const { one, two, me } = await setup()
    const { prompt_id } = await submitPrompt(one.execution, me, { text: 'First' })
    for (let round = 0; round < 80; round++) {
      await cancelPrompt(one.execution, me, prompt_id)
      const [, follower] = await Promise.all([
        retryPrompt(one.execution, me, prompt_id),
        submitPrompt(two.execution, me, { text: 'Next', parent_id: prompt_id }),
      ])
      const [row] = await test.database.rows(
        sql`select blocked_by, hold_reason from job where prompt_id = ${follower.prompt_id}::uuid`,
      )
      expect(row).toEqual({ blocked_by: prompt_id, hold_reason: null })
      await cancelPrompt(one.execution, me, follower.prompt_id)
    }
  })

  it('that retry one prompt make one job, and the loser learns its id', async () => {
    const { one, two, me } = await setup()
    const { prompt_id } = await submitPrompt(one.execution, me, { text: 'Ask' })
    for (let round = 0; round < 15; round++) {
      await cancelPrompt(one.execution, me, prompt_id)
      const tries = await Promise.allSettled(
        Array.from({ length: 20 }, (_, index) =>
          retryPrompt((index % 2 ? one : two).execution, me, prompt_id),
        ),
      )
      const won = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value.job_id] : []))
      expect(won).toHaveLength(1)
      const lost = tries.flatMap((one): unknown[] => (one.status === 'rejected' ? [one.reason] : []))
      for (const reason of lost) {
        expect(reason).toMatchObject({ code: 'state_conflict', details: { job_id: won[0], state: 'queued' } })
      }
    }
  })
})

function answerAll(provider: { run: unknown }): void {
  provider.run = async () => ({
    ok: true,
    text: 'Done',
    finishReason: 'stop',
    model: 'script-1',
    requestId: null,
    inputTokens: null,
    outputTokens: null,
  })
}
