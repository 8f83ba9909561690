import { sql } from 'drizzle-orm'
import { v7 as uuidV7 } from 'uuid'
import { describe, expect, it } from 'vitest'
import { agingMsDefault, claimRank } from '../../../domain/claim-order.ts'
import { failure } from '../../../domain/failure.ts'
import type { ClaimedJob } from '../../jobs/claim-jobs.ts'
import type { NewPrompt } from '../../jobs/insert-prompts.ts'
import { type JobFactory, jobFactory, type MadePrompt } from '../job-factory.ts'
import type { TestDatabase } from '../test-database.ts'

export function permitsConformance(open: () => TestDatabase): void {
  const start = (orgConcurrency = 2) => jobFactory(open().database, orgConcurrency)
  const permit = (jobs: JobFactory, { jobId }: MadePrompt) => jobs.column(jobId, 'permit')
  const one = async (jobs: JobFactory): Promise<ClaimedJob> => {
    const [claim] = await jobs.claimHolders({ limit: 1 })
    if (!claim) throw new Error('nothing holds a permit')
    return claim
  }
  const ofAnotherOrg = (): Partial<NewPrompt> => ({ org_id: uuidV7(), created_by: uuidV7() })
  const ranked = (jobs: JobFactory, priority: number): Partial<NewPrompt> => ({
    priority,
    claim_rank: claimRank({ createdAt: jobs.now(), scheduledFor: null, priority }, agingMsDefault),
  })

  describe('permits', () => {
    it('are given out at the submit while some are free, and only what has one is claimed', async () => {
      const jobs = start()
      const [first, second, third] = [await jobs.submit(), await jobs.submit(), await jobs.submit()]
      expect([await permit(jobs, first), await permit(jobs, second)]).toEqual([1, 2])
      expect(await permit(jobs, third)).toBeNull()
      expect((await jobs.claimSome()).map(({ jobId }) => jobId)).toEqual([first.jobId, second.jobId])
    })

    it.each<[end: string, run: (jobs: JobFactory, claim: ClaimedJob) => Promise<unknown>]>([
      ['succeeds', (jobs, claim) => jobs.succeed(claim)],
      ['fails', (jobs, claim) => jobs.fail(claim)],
      ['will be tried again later', (jobs, claim) => jobs.requeue(claim)],
      ['is cancelled while it runs', (jobs, claim) => jobs.cancel(claim.jobId)],
    ])('are handed on in the transaction in which their holder %s', async (_, end) => {
      const jobs = start(1)
      await jobs.submit()
      const next = await jobs.submit()
      const claim = await jobs.claim()
      jobs.advance(1_000)
      await end(jobs, claim)
      expect(await permit(jobs, next)).toBe(1)
      expect(await jobs.column(next.jobId, 'permit_at')).toEqual(jobs.now())
      expect(await permit(jobs, claim)).toBeNull()
    })

    it('are handed on by a cancel of one that waits', async () => {
      const jobs = start(1)
      const [holder, next] = [await jobs.submit(), await jobs.submit()]
      await jobs.cancel(holder.jobId)
      expect((await jobs.claim()).jobId).toBe(next.jobId)
    })

    it('stay with a job that is handed back or reclaimed', async () => {
      const jobs = start(1)
      const [holder, next] = [await jobs.submit(), await jobs.submit()]
      await jobs.handBack(await jobs.claim())
      await jobs.claim()
      await jobs.reclaim({ formerSelf: true })
      expect([await permit(jobs, holder), await permit(jobs, next)]).toEqual([1, null])
      expect((await jobs.claim()).jobId).toBe(holder.jobId)
    })

    it('go to the next with the last reclaim of a job', async () => {
      const jobs = start(1)
      await jobs.submit({ max_attempts: 1 })
      const next = await jobs.submit()
      await jobs.claim()
      expect((await jobs.reclaim({ formerSelf: true })).failed).toHaveLength(1)
      expect(await permit(jobs, next)).toBe(1)
    })

    it('are taken over by a better ranked newcomer from the worst one that waits, never from one that runs', async () => {
      const jobs = start(3)
      const running = await jobs.submit(ranked(jobs, 99))
      await jobs.claim()
      const good = await jobs.submit(ranked(jobs, 40))
      const worst = await jobs.submit(ranked(jobs, 60))
      const urgent = await jobs.submit(ranked(jobs, 10))
      expect(await permit(jobs, running)).toBe(1)
      expect(await permit(jobs, good)).toBe(2)
      expect([await permit(jobs, worst), await permit(jobs, urgent)]).toEqual([null, 3])
      expect((await jobs.claimHolders()).map(({ jobId }) => jobId)).toEqual([urgent.jobId, good.jobId])
      const worse = await jobs.submit(ranked(jobs, 70))
      expect(await permit(jobs, worse)).toBeNull()
    })

    it('of one org run in the order of its ranks, whenever they were given', async () => {
      const jobs = start(8)
      const made: Record<number, MadePrompt> = {}
      for (const priority of [90, 10, 50]) {
        made[priority] = await jobs.submit(ranked(jobs, priority))
        jobs.advance(5)
      }
      const order = (await jobs.claimSome()).map(({ jobId }) => jobId)
      expect(order).toEqual([10, 50, 90].map((priority) => made[priority]?.jobId))
    })

    it('let another org’s job run before the rest of a long queue', async () => {
      const jobs = start(2)
      for (let n = 0; n < 6; n++) await jobs.submit()
      const [first, second] = await jobs.claimSome({ limit: 2 })
      jobs.advance(1_000)
      const other = await jobs.submit(ofAnotherOrg())
      jobs.advance(1_000)
      if (!first || !second) throw new Error('two were claimed')
      await jobs.succeed(first)
      expect((await one(jobs)).jobId).toBe(other.jobId)
    })

    it('are given to what becomes due when somebody looks around, who learns the next time as well', async () => {
      const jobs = start()
      const at = (ms: number) => new Date(jobs.now().getTime() + ms).toISOString()
      const soon = await jobs.submit({ available_at: at(1_000) })
      const later = await jobs.submit({ available_at: at(5_000) })
      expect(await permit(jobs, soon)).toBeNull()
      expect(await jobs.grantReady()).toEqual({ granted: 0, nextAt: new Date(at(1_000)) })
      jobs.advance(1_000)
      expect(await jobs.grantReady()).toEqual({ granted: 1, nextAt: new Date(at(4_000)) })
      expect([await permit(jobs, soon), await permit(jobs, later)]).toEqual([1, null])
    })

    it('are for what is ready: not for a follower until its first has succeeded', async () => {
      const jobs = start(8)
      const first = await jobs.submit()
      const follower = await jobs.follow(first)
      expect(await permit(jobs, follower)).toBeNull()
      await jobs.succeed(await jobs.claim())
      expect(await permit(jobs, follower)).toBe(1)
    })

    it('are handed on to a released follower that ranks better than who waits', async () => {
      const jobs = start(1)
      const first = await jobs.submit(ranked(jobs, 10))
      const follower = await jobs.follow(first, ranked(jobs, 10))
      const other = await jobs.submit(ranked(jobs, 50))
      await jobs.succeed(await jobs.claim())
      expect([await permit(jobs, follower), await permit(jobs, other)]).toEqual([1, null])
    })

    it('go to a retry as to any other submit', async () => {
      const jobs = start(1)
      const { promptId } = await jobs.submit()
      await jobs.fail(await jobs.claim())
      const jobId = await jobs.retry(promptId)
      expect(jobId && (await jobs.column(jobId, 'permit'))).toBe(1)
    })

    it('above a limit that was lowered are not handed on', async () => {
      const wide = start(3)
      for (let n = 0; n < 5; n++) await wide.submit()
      const claims = await wide.claimSome()
      const narrow = jobFactory(open().database, 1)
      for (const claim of claims) await narrow.succeed(claim)
      const [row] = await open().database.rows<{ held: number[] }>(
        sql`select array(select permit from job where permit is not null) as held`,
      )
      expect(row?.held).toEqual([1])
    })
  })

  describe('a provider’s gate', () => {
    const gates = () =>
      open().database.rows<{ provider: string; closed_until: Date; probe_job_id: string | null }>(
        sql`select provider, closed_until, probe_job_id from provider_gate`,
      )
    /** Three that wait, of which the first meets the limit, for ten seconds. */
    const closed = async () => {
      const jobs = start(8)
      const prompts = [await jobs.submit(), await jobs.submit(), await jobs.submit()]
      await jobs.requeue(await one(jobs), 'wait-for-provider', 10_000)
      return { jobs, prompts }
    }

    it('closes for as long as it says: its jobs wait without a permit, those of others go on', async () => {
      const { jobs, prompts } = await closed()
      expect(await gates()).toEqual([
        { provider: 'scripted', closed_until: new Date(jobs.now().getTime() + 10_000), probe_job_id: null },
      ])
      for (const prompt of prompts) expect(await permit(jobs, prompt)).toBeNull()
      const newcomer = await jobs.submit()
      const other = await jobs.submit({ provider: 'another' })
      expect([await permit(jobs, newcomer), await permit(jobs, other)]).toEqual([null, 1])
      expect((await jobs.claimSome()).map(({ jobId }) => jobId)).toEqual([other.jobId])
      jobs.advance(9_999)
      expect(await jobs.claimSome()).toEqual([])
    })

    it('is tried by one probe when its time has come; its success lets all the others through', async () => {
      const { jobs } = await closed()
      expect((await jobs.grantReady()).nextAt).toEqual(new Date(jobs.now().getTime() + 10_000))
      jobs.advance(10_000)
      const [probe, ...more] = await jobs.claimSome()
      if (!probe) throw new Error('no probe')
      expect(more).toEqual([])
      expect(await jobs.claimSome()).toEqual([])
      await jobs.succeed(probe)
      expect(await gates()).toEqual([])
      expect(await jobs.claimSome()).toHaveLength(2)
    })

    it('closes again when the probe meets the limit, and opens when it fails otherwise', async () => {
      const { jobs } = await closed()
      jobs.advance(10_000)
      await jobs.requeue(await one(await ready(jobs)), 'wait-for-provider', 30_000)
      expect(await gates()).toMatchObject([{ closed_until: new Date(jobs.now().getTime() + 30_000) }])
      jobs.advance(10_000)
      expect(await jobs.claimSome()).toEqual([])
      jobs.advance(20_000)
      await jobs.fail(await one(await ready(jobs)), failure('auth', 'No key.'))
      expect(await gates()).toEqual([])
      expect(await jobs.claimSome()).toHaveLength(2)
    })

    it.each<[end: string, run: (jobs: JobFactory, claim: ClaimedJob) => Promise<unknown>]>([
      ['cancelled', (jobs, claim) => jobs.cancel(claim.jobId)],
      ['given up with its worker', (jobs) => jobs.reclaim({ formerSelf: true })],
    ])('gets another probe when the first is %s', async (_, end) => {
      const jobs = start(8)
      for (let n = 0; n < 3; n++) await jobs.submit({ max_attempts: 1 })
      await jobs.requeue(await one(jobs), 'wait-for-provider', 10_000)
      jobs.advance(10_000)
      const probe = await one(await ready(jobs))
      await end(jobs, probe)
      const [next, ...more] = await jobs.claimSome()
      expect([next?.jobId === probe.jobId, more]).toEqual([false, []])
      expect(await gates()).toMatchObject([{ probe_job_id: next?.jobId }])
    })

    it('stays closed for the longest time that was said', async () => {
      const jobs = start(8)
      for (let n = 0; n < 2; n++) await jobs.submit()
      const [first, second] = await jobs.claimSome()
      if (!first || !second) throw new Error('two were claimed')
      await jobs.requeue(first, 'wait-for-provider', 30_000)
      await jobs.requeue(second, 'wait-for-provider', 10_000)
      expect(await gates()).toMatchObject([{ closed_until: new Date(jobs.now().getTime() + 30_000) }])
    })

    it('is not opened by a call that was under way when it closed', async () => {
      const jobs = start(8)
      for (let n = 0; n < 2; n++) await jobs.submit()
      const [first, second] = await jobs.claimSome()
      if (!first || !second) throw new Error('two were claimed')
      await jobs.requeue(first, 'wait-for-provider', 30_000)
      await jobs.succeed(second)
      expect(await gates()).toHaveLength(1)
    })

    it('opens by itself at its time when nobody waits for it', async () => {
      const { jobs, prompts } = await closed()
      for (const { jobId } of prompts) await jobs.cancel(jobId)
      jobs.advance(10_000)
      await jobs.grantReady()
      expect(await gates()).toEqual([])
    })

    it('takes its probe from an org that has a permit free', async () => {
      const jobs = start(1)
      await jobs.submit()
      await jobs.requeue(await jobs.claim(), 'wait-for-provider', 10_000)
      await jobs.submit({ provider: 'another' })
      await jobs.claim()
      const free = await jobs.submit(ofAnotherOrg())
      jobs.advance(10_000)
      expect((await jobs.claimSome()).map(({ jobId }) => jobId)).toEqual([free.jobId])
    })

    /** As the timer does at the gate's time. */
    async function ready(jobs: JobFactory): Promise<JobFactory> {
      await jobs.grantReady()
      return jobs
    }
  })
}
