import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { JobFacts } from '../../domain/job-state.ts'
import { seededRandom } from '../../domain/testing/seeded-random.ts'
import type { Database } from '../database/database.ts'
import { openPostgres } from '../database/postgres/open-postgres.ts'
import { type JobFactory, jobFactory, type MadePrompt } from '../testing/job-factory.ts'
import { brokenInvariants } from '../testing/model/broken-invariants.ts'
import { readRealEvents, readRealJobs } from '../testing/model/real-queue.ts'
import { type TestPostgres, testPostgres } from '../testing/test-postgres.ts'
import { readViewsById } from '../views/read-views.ts'
import { beat } from './beat.ts'
import type { ClaimedJob } from './claim-jobs.ts'
import { insertPrompts, type NewPrompt, PredecessorMovedError } from './insert-prompts.ts'
import { readJobs } from './read-jobs.ts'

/**
 * Two sides of one job at the same moment, thousands of times: a hundred jobs a round, their racers side by side on
 * sixteen connections. `RACES` sets how many in all; a seed that failed is in the message and set by `FC_SEED`.
 */
const racesAll = Number(process.env.RACES ?? 10_000)
const seed = Number(process.env.FC_SEED ?? Date.now() % 1_000_000)
const random = seededRandom(seed)
const jobsPerRound = 100
const leaseMs = 300_000

let test: TestPostgres
let many: Database
beforeAll(async () => {
  test = await testPostgres()
  many = await openPostgres({ url: test.url, connectionsMax: 16 })
})
beforeEach(() => test.truncate())
afterAll(async () => {
  await many.close()
  await test.close()
})

/** A sixth of all races each, in rounds on an empty database; all invariants hold after each round. */
function race(name: string, round: (jobs: JobFactory, seen: Seen) => Promise<void>): void {
  const rounds = Math.max(1, Math.round(racesAll / 6 / jobsPerRound))
  it(`${name}, ${rounds * jobsPerRound} times`, { timeout: 30_000 + racesAll * 20 }, async () => {
    const seen: Seen = {}
    for (let number = 0; number < rounds; number++) {
      await test.truncate()
      await round(jobFactory(many), seen)
      expect(await brokenInvariants(many), `seed ${seed}, round ${number}`).toEqual([])
    }
    // A race that always ends the same way was none.
    expect(
      Object.values(seen).every((times) => times > 0),
      JSON.stringify(seen),
    ).toBe(true)
    expect(Object.keys(seen).length, JSON.stringify(seen)).toBeGreaterThan(1)
  })
}

/** How often each outcome was seen. */
type Seen = Record<string, number>

function count(seen: Seen, outcome: string): void {
  seen[outcome] = (seen[outcome] ?? 0) + 1
}

/** Starts the racers of each job side by side, whichever first, and waits for all. */
async function start<Result>(racers: (() => Promise<Result>)[][]): Promise<Result[][]> {
  const running = racers.map((ofJob) => {
    const order = ofJob.map((run, index) => ({ run, index, at: random() })).sort((a, b) => a.at - b.at)
    const started = order.map(async ({ run, index }) => ({ index, result: await run() }))
    return Promise.all(started).then((all) => all.sort((a, b) => a.index - b.index).map((one) => one.result))
  })
  return Promise.all(running)
}

async function submitAll(jobs: JobFactory): Promise<MadePrompt[]> {
  const rows = Array.from({ length: jobsPerRound }, () => jobs.prompt())
  const limits = { orgConcurrency: jobsPerRound, now: jobs.now() }
  await many.transaction((tx) => insertPrompts(tx, rows, limits))
  return rows.map((row) => ({ promptId: row.prompt_id, jobId: row.job_id }))
}

/** How all jobs stand, by id. */
async function factsById(): Promise<Map<string, JobFacts>> {
  return new Map((await readRealJobs(many)).map(({ id, facts }) => [id, facts]))
}

/** A round's jobs, all running. */
async function runAll(jobs: JobFactory): Promise<ClaimedJob[]> {
  await submitAll(jobs)
  const claims = await jobs.claimSome({ limit: jobsPerRound })
  expect(claims).toHaveLength(jobsPerRound)
  return claims
}

/** The prompts of a round, all failed. */
async function failAll(jobs: JobFactory): Promise<ClaimedJob[]> {
  const claims = await runAll(jobs)
  await Promise.all(claims.map((claim) => jobs.fail(claim)))
  return claims
}

describe('at the same moment', () => {
  // R031
  race(
    'a cancel and a claim: what was cancelled first never ran, what ran was never cancelled',
    async (jobs, seen) => {
      const made = await submitAll(jobs)
      const claimed: ClaimedJob[] = []
      const answered = new Set<string>()
      const claimAndAnswer = async (): Promise<null> => {
        const claims = await jobs.claimSome({ limit: 1 })
        claimed.push(...claims)
        for (const claim of claims) if (await jobs.succeed(claim)) answered.add(claim.jobId)
        return null
      }
      const results = await start(made.map(({ jobId }) => [() => jobs.cancel(jobId), claimAndAnswer]))
      expect(new Set(claimed.map((claim) => claim.jobId)).size).toBe(claimed.length)
      const facts = await factsById()
      for (const [index, { jobId }] of made.entries()) {
        const cancelled = results[index]?.[0] !== null
        const { state, run } = facts.get(jobId) ?? {}
        expect(answered.has(jobId), `seed ${seed}`).toBe(!cancelled)
        expect(state, `seed ${seed}`).toBe(cancelled ? 'cancelled' : 'succeeded')
        expect(run).toBe(claimed.some((claim) => claim.jobId === jobId) ? 1 : 0)
        count(
          seen,
          cancelled ? (run === 0 ? 'cancelled while queued' : 'cancelled while running') : 'answered',
        )
      }
      expect(await jobs.claimSome({ limit: jobsPerRound })).toEqual([])
    },
  )

  // R017
  race('a settle and a retry: the answer shown is the newest claimed job’s', async (jobs, seen) => {
    const claims = await runAll(jobs)
    const answered = new Set<string>()
    const results = await start<string | boolean | null>(
      claims.map((claim) => [
        () => jobs.succeed(claim, { text: 'Old.' }),
        async () => {
          await jobs.cancel(claim.jobId)
          const next = await jobs.retry(claim.promptId)
          for (const again of await jobs.claimSome({ limit: 1 })) {
            if (await jobs.succeed(again, { text: 'New.' })) answered.add(again.jobId)
          }
          return next
        },
      ]),
    )
    const views = await readViewsById(
      many,
      claims.map((claim) => claim.promptId),
    )
    const facts = await factsById()
    const shown = new Map(views.map(({ view }) => [view.prompt_id, view]))
    for (const [index, { promptId, jobId }] of claims.entries()) {
      const [settled, next] = results[index] ?? []
      const old = facts.get(jobId)
      expect(old, `seed ${seed}`).toMatchObject({
        state: 'superseded',
        outcome: settled ? 'succeeded' : 'cancelled',
        run: 1,
      })
      const isNew = answered.has(String(next))
      expect(shown.get(promptId), `seed ${seed}`).toMatchObject({
        job_id: next,
        state: isNew ? 'succeeded' : 'queued',
        answer_excerpt: isNew ? 'New.' : settled ? 'Old.' : null,
      })
      count(seen, `${settled ? 'settled' : 'cancelled'} first`)
    }
  })

  race('a settle and a cancel: one of them wins, the other writes nothing', async (jobs, seen) => {
    const claims = await runAll(jobs)
    const results = await start(
      claims.map((claim, index) => [
        () => (index % 2 ? jobs.succeed(claim) : jobs.fail(claim)),
        async () => (await jobs.cancel(claim.jobId)) !== null,
      ]),
    )
    const facts = await factsById()
    for (const [index, claim] of claims.entries()) {
      const [settled, cancelled] = results[index] ?? []
      expect(settled, `seed ${seed}`).toBe(!cancelled)
      const { state } = facts.get(claim.jobId) ?? {}
      expect(state).toBe(cancelled ? 'cancelled' : index % 2 ? 'succeeded' : 'failed')
      count(seen, cancelled ? 'cancelled' : 'settled')
    }
  })

  race('retries: one wins, and the others find its job', async (jobs, seen) => {
    const failed = await failAll(jobs)
    const retryOrFind = async ({ promptId }: ClaimedJob) => {
      const won = await jobs.retry(promptId)
      const [current] = won ? [] : await readJobs(many, { promptId }, 1)
      return { won, found: current?.id ?? null }
    }
    const results = await start(failed.map((claim) => [0, 1, 2].map(() => () => retryOrFind(claim))))
    const jobsNow = await readRealJobs(many)
    for (const [index, tries] of results.entries()) {
      const winners = tries.filter((one) => one.won !== null)
      expect(winners, `seed ${seed}`).toHaveLength(1)
      const winner = winners[0]?.won
      for (const lost of tries.filter((one) => one.won === null)) expect(lost.found).toBe(winner)
      const next = jobsNow.filter((job) => job.supersedes === failed[index]?.jobId)
      expect(next).toMatchObject([{ id: winner, facts: { state: 'queued' } }])
      count(seen, `number ${tries.findIndex((one) => one.won !== null)} won`)
    }
  })

  race('a reclaim and a settle: one of them ends the run', async (jobs, seen) => {
    const claims = await runAll(jobs)
    // Each seen alive a ms later than the one before, so that each reclaim takes one more job.
    const alive = (index: number): Date => new Date(jobs.now().getTime() + index)
    await Promise.all(claims.map(({ token }, index) => beat(many, [token], alive(index))))
    const lapsed = (index: number): Date => new Date(alive(index).getTime() + leaseMs)
    const reclaimed = new Set<string>()
    const results = await start(
      claims.map((claim, index) => [
        () => jobs.succeed(claim),
        async () => {
          for (const jobId of (await jobs.reclaim({ now: lapsed(index) })).requeued) reclaimed.add(jobId)
          return false
        },
      ]),
    )
    const rest = await jobs.reclaim({ now: lapsed(jobsPerRound) })
    for (const jobId of rest.requeued) reclaimed.add(jobId)
    const facts = await factsById()
    for (const [index, { jobId }] of claims.entries()) {
      const settled = results[index]?.[0]
      expect(reclaimed.has(jobId), `seed ${seed}`).toBe(!settled)
      expect(facts.get(jobId)).toMatchObject({
        state: settled ? 'succeeded' : 'queued',
        attempt: settled ? 1 : 2,
        run: 1,
      })
      count(seen, settled ? 'settled' : 'reclaimed')
    }
  })

  race(
    'a submit that continues and the end of what it continues: nobody waits for ever',
    async (jobs, seen) => {
      const claims = await runAll(jobs)
      const ends = [
        (claim: ClaimedJob) => jobs.succeed(claim),
        (claim: ClaimedJob) => jobs.fail(claim),
        async (claim: ClaimedJob) => (await jobs.cancel(claim.jobId)) !== null,
        async (claim: ClaimedJob) => {
          await jobs.fail(claim)
          return (await jobs.retry(claim.promptId)) !== null
        },
      ] as const
      const followers = claims.map(({ promptId }) =>
        jobs.prompt({ parent_id: promptId, correlation_id: promptId }),
      )
      const results = await start(
        claims.map((claim, index) => [
          () => submitAgain(jobs, followers[index]),
          () => (ends[index % ends.length] ?? ends[0])(claim),
        ]),
      )
      const stored = new Map((await readRealJobs(many)).map((job) => [job.id, job]))
      const events = await readRealEvents(many, 0)
      for (const [index, { promptId }] of claims.entries()) {
        expect(results[index], `seed ${seed}`).toEqual([true, true])
        const expected = [
          { blockedBy: null, holdReason: null },
          { blockedBy: promptId, holdReason: 'failed' },
          { blockedBy: promptId, holdReason: 'cancelled' },
          { blockedBy: promptId, holdReason: null },
        ]
        const followerId = followers[index]?.job_id ?? ''
        expect(stored.get(followerId), `seed ${seed}`).toMatchObject(expected[index % ends.length] ?? {})
        const told = events.filter((event) => event.jobId === followerId)
        count(seen, told.length === 1 ? 'stored after the end' : 'told of the end')
      }
    },
  )
})

/** As the queue of submits does it: overtaken by a retry of the first, the same again. */
async function submitAgain(jobs: JobFactory, prompt: NewPrompt | undefined): Promise<boolean> {
  for (;;) {
    try {
      await jobs.submit(prompt)
      return true
    } catch (error) {
      if (!(error instanceof PredecessorMovedError)) throw error
    }
  }
}
