import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type JobFactory, jobFactory } from '../testing/job-factory.ts'
import { type TestPostgres, testPostgres } from '../testing/test-postgres.ts'
import type { ClaimedJob } from './claim-jobs.ts'

let db: TestPostgres
beforeAll(async () => {
  db = await testPostgres()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

describe('a job that goes back to the queue while its provider takes no calls', () => {
  const ways: [way: string, goBack: (jobs: JobFactory, claim: ClaimedJob) => Promise<unknown>][] = [
    ['is handed back', (jobs, claim) => jobs.handBack(claim)],
    ['is reclaimed', (jobs) => jobs.reclaim({ formerSelf: true })],
  ]
  it.each(ways)('and %s gives its permit to one that can run', async (_, goBack) => {
    const [jobs, stranger] = [jobFactory(db.database, 1), jobFactory(db.database, 1)]
    const limited = await jobs.submit()
    await stranger.submit()
    const claims = await jobs.claimSome({ limit: 2 })
    const other = await jobs.submit({ provider: 'other' })
    const [mine, theirs] = claims[0]?.jobId === limited.jobId ? claims : claims.toReversed()
    if (!mine || !theirs) throw new Error('two were claimed')
    await stranger.requeue(theirs, 'wait-for-provider', 3_600_000)
    await goBack(jobs, mine)
    expect(await jobs.column(limited.jobId, 'permit')).toBeNull()
    expect((await jobs.claimHolders()).map((claim) => claim.jobId)).toEqual([other.jobId])
  })
})

describe('an answer that is settled again, since nobody heard of the first commit', () => {
  it('is refused, and its permit stays with whom it was handed on to', async () => {
    const jobs = jobFactory(db.database, 1)
    await jobs.submit()
    const claim = await jobs.claim()
    const next = await jobs.submit()
    await jobs.submit()
    expect(await jobs.succeed(claim)).toBe(true)
    expect(await jobs.succeed(claim)).toBe(false)
    expect((await jobs.claimHolders()).map((held) => held.jobId)).toEqual([next.jobId])
  })
})
