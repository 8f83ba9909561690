import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { practiceProvider } from '../../adapters/practice/practice-provider.ts'
import { DomainError } from '../../domain/errors.ts'
import { seededRandom } from '../../domain/testing/seeded-random.ts'
import { cancelPrompt } from '../../execution/cancel-prompt.ts'
import { ensureOwner } from '../../execution/sessions.ts'
import { submitPrompt } from '../../execution/submit-prompt.ts'
import { until } from '../../execution/testing/until.ts'
import { type TestPostgres, testPostgres } from '../../store/testing/test-postgres.ts'
import { inProcess } from '../testing/in-process.ts'

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await testPostgres()
})
afterAll(() => postgres.close())

const rounds = 200
const together = 20
const workers = 4
const cancelMsMax = 50

// R031
test('a cancel that is acknowledged is never followed by a claim, whenever it comes', async () => {
  const processes = await Promise.all(
    Array.from({ length: workers }, () =>
      inProcess(postgres.url, {
        provider: practiceProvider({ paceScale: 0.01 }),
        concurrency: 1,
        orgConcurrency: workers,
      }),
    ),
  )
  const execution = (round: number) => (processes[round % workers] ?? fail()).execution
  const owner = await ensureOwner(execution(0))
  const random = seededRandom(31)
  const cancelAfterMs = Array.from({ length: rounds }, () => Math.floor(random() * (cancelMsMax + 1)))

  const acknowledged: { jobId: string; was: string }[] = []
  const refused: string[] = []
  const race = async (round: number): Promise<void> => {
    const { prompt_id, job_id } = await submitPrompt(execution(round), owner, { text: `Round ${round}` })
    await wait(cancelAfterMs[round])
    try {
      await cancelPrompt(execution(round + 1), owner, prompt_id)
      acknowledged.push({ jobId: job_id, was: await stateBeforeCancel(job_id) })
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'state_conflict') throw error
      refused.push(job_id)
    }
  }
  for (let round = 0; round < rounds; round += together) {
    await Promise.all(Array.from({ length: together }, (_, index) => race(round + index)))
  }
  await until(() => processes.every(({ worker }) => worker.running === 0))

  expect(acknowledged.length + refused.length).toBe(rounds)
  // Both sides of the race were seen, else it was none.
  expect(acknowledged.filter(({ was }) => was === 'queued').length).toBeGreaterThan(0)
  expect(acknowledged.filter(({ was }) => was === 'running').length).toBeGreaterThan(0)
  const ids = new Set(acknowledged.map(({ jobId }) => jobId))
  const jobs = await postgres.database.rows<{ id: string; state: string; late: number }>(sql`
    select j.id, j.state,
      (select count(*) from event e where e.job_id = j.id and e.seq >
        (select c.seq from event c where c.job_id = j.id and c.kind = 'job-cancelled')) as late
    from job j`)
  const cancelled = jobs.filter(({ id }) => ids.has(id))
  expect(cancelled).toHaveLength(ids.size)
  expect(new Set(cancelled.map(({ state }) => state))).toEqual(new Set(['cancelled']))
  expect(cancelled.filter(({ late }) => late > 0)).toEqual([])
  const others = jobs.filter(({ id }) => !ids.has(id))
  expect(new Set(others.map(({ state }) => state))).toEqual(new Set(refused.length > 0 ? ['succeeded'] : []))
  const [answers] = await postgres.database.rows(
    sql`select count(*) as n from entity where kind = 'response'`,
  )
  expect(answers).toEqual({ n: others.length })
})

async function stateBeforeCancel(jobId: string): Promise<string> {
  const [event] = await postgres.database.rows<{ was: string }>(sql`
    select data ->> 'from' as was from event where job_id = ${jobId}::uuid and kind = 'job-cancelled'`)
  return event?.was ?? 'never'
}

function fail(): never {
  throw new Error('there is no such worker')
}
