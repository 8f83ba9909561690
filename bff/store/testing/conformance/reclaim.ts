import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { crashesMax, defaultDeadlines } from '../../../domain/deadlines.ts'
import { beat } from '../../jobs/beat.ts'
import { nextLeaseEnd } from '../../jobs/reclaim.ts'
import { jobFactory } from '../job-factory.ts'
import type { TestDatabase } from '../test-database.ts'

const { leaseMs } = defaultDeadlines
const minuteMs = 60_000

export function reclaimConformance(open: () => TestDatabase): void {
  const start = () => jobFactory(open().database)

  describe('reclaim', () => {
    it('takes a job back when its lease ends, not a moment before', async () => {
      const jobs = start()
      const { jobId } = await jobs.submit()
      const claim = await jobs.claim()
      jobs.advance(minuteMs)
      expect(await beat(jobs.database, [claim.token], jobs.now())).toEqual(new Set([claim.token]))
      const end = await nextLeaseEnd(jobs.database, leaseMs)
      expect(end).toEqual(new Date(jobs.now().getTime() + leaseMs))
      jobs.advance(leaseMs - 1)
      expect(await jobs.reclaim()).toEqual({ requeued: [], failed: [] })
      jobs.advance(1)
      expect(await jobs.reclaim()).toEqual({ requeued: [jobId], failed: [] })
      expect(await nextLeaseEnd(jobs.database, leaseMs)).toBeNull()
    })

    it('takes whatever a former self held, at once, but no cluster job', async () => {
      const jobs = start()
      const { jobId } = await jobs.submit()
      await jobs.claim()
      await external(jobs)
      expect(await jobs.reclaim({ formerSelf: true })).toEqual({ requeued: [jobId], failed: [] })
      expect(await jobs.reclaim({ formerSelf: true })).toEqual({ requeued: [], failed: [] })
    })

    it('leaves what waits or is settled', async () => {
      const jobs = start()
      await jobs.submit()
      await jobs.succeed(await jobs.claim())
      await jobs.submit()
      const before = await jobs.everything()
      expect(await jobs.reclaim({ formerSelf: true })).toEqual({ requeued: [], failed: [] })
      expect(await jobs.everything()).toEqual(before)
    })

    it('ends a job on its last attempt', async () => {
      const jobs = start()
      const { jobId } = await jobs.submit({ max_attempts: 1 })
      await jobs.claim()
      expect(await jobs.reclaim({ formerSelf: true })).toEqual({ requeued: [], failed: [jobId] })
      expect(await jobs.facts(jobId)).toMatchObject({
        state: 'failed',
        errorKind: 'worker_crash',
        attempt: 1,
      })
    })

    it('ends a job at the third crash, however many attempts are left', async () => {
      const jobs = start()
      const { jobId } = await jobs.submit({ max_attempts: 20 })
      for (let crash = 1; crash < crashesMax; crash++) {
        await jobs.claim()
        expect((await jobs.reclaim({ formerSelf: true })).requeued).toEqual([jobId])
      }
      await jobs.claim()
      expect((await jobs.reclaim({ formerSelf: true })).failed).toEqual([jobId])
      expect(await jobs.facts(jobId)).toMatchObject({ errorKind: 'worker_crash', attempt: 3 })
    })

    it.each([
      ['unknown', 15],
      ['medium', 45],
    ])('fails a %s job as stuck that was seen alive for %i minutes', async (budget, minutes) => {
      const jobs = start()
      const { jobId } = await jobs.submit({ budget })
      const claim = await jobs.claim()
      jobs.advance(minutes * minuteMs)
      await beat(jobs.database, [claim.token], jobs.now())
      jobs.advance(leaseMs)
      expect((await jobs.reclaim()).failed).toEqual([jobId])
      expect(await jobs.facts(jobId)).toMatchObject({ state: 'failed', errorKind: 'stuck', attempt: 1 })
    })

    it('requeues one that was seen alive a moment less, and one whose machine slept for an hour', async () => {
      const jobs = start()
      const { jobId } = await jobs.submit()
      const claim = await jobs.claim()
      jobs.advance(15 * minuteMs - 1)
      await beat(jobs.database, [claim.token], jobs.now())
      jobs.advance(60 * minuteMs)
      expect((await jobs.reclaim()).requeued).toEqual([jobId])
      await jobs.claim()
      jobs.advance(60 * minuteMs)
      expect((await jobs.reclaim()).requeued).toEqual([jobId])
    })

    it('takes a hundred at a time', async () => {
      const jobs = start()
      for (let made = 0; made < 101; made++) await jobs.submit()
      await jobs.claimSome({ limit: 200 })
      expect((await jobs.reclaim({ formerSelf: true })).requeued).toHaveLength(100)
      expect((await jobs.reclaim({ formerSelf: true })).requeued).toHaveLength(1)
    })

    it('holds the followers of what it fails', async () => {
      const jobs = start()
      const first = await jobs.submit({ max_attempts: 1 })
      await jobs.claim()
      const follower = await jobs.follow(first)
      await jobs.reclaim({ formerSelf: true })
      expect(await jobs.column(follower.jobId, 'hold_reason')).toBe('failed')
    })
  })

  describe('a heartbeat', () => {
    it('says which claims still hold, in one statement, and moves no revision', async () => {
      const jobs = start()
      const { promptId, jobId } = await jobs.submit()
      await jobs.submit()
      const [kept, lost] = await jobs.claimSome()
      await jobs.cancel(lost?.jobId ?? '')
      jobs.advance(1_000)
      const tokens = [kept?.token ?? '', lost?.token ?? '']
      expect(await beat(jobs.database, tokens, jobs.now())).toEqual(new Set([kept?.token]))
      expect(await beat(jobs.database, [], jobs.now())).toEqual(new Set())
      expect(await jobs.revision(promptId)).toBe(2)
      expect(await jobs.column(jobId, 'running_heartbeat_at')).toEqual(jobs.now())
    })
  })

  describe('a claim', () => {
    it('takes what is due, best rank first, at most what was asked for', async () => {
      const jobs = start()
      const later = new Date(jobs.now().getTime() + 60_000).toISOString()
      await jobs.submit({ available_at: later, priority: 0 })
      const low = await jobs.submit({ priority: 90 })
      const high = await jobs.submit({ priority: 10 })
      const middle = await jobs.submit({ priority: 50 })
      const some = await jobs.claimSome({ limit: 2 })
      expect(some.map((claim) => claim.jobId)).toEqual([high.jobId, middle.jobId])
      expect((await jobs.claimSome()).map((claim) => claim.jobId)).toEqual([low.jobId])
      expect(await jobs.claimSome()).toEqual([])
      expect((await jobs.grantReady()).nextAt).toEqual(new Date(later))
    })

    it('keeps to the raw priority it was limited to', async () => {
      const jobs = start()
      await jobs.submit({ priority: 60 })
      const { jobId } = await jobs.submit({ priority: 50 })
      const claims = await jobs.claimSome({ priorityCeiling: 50 })
      expect(claims.map((claim) => claim.jobId)).toEqual([jobId])
    })

    it('among jobs of one moment and priority is first come, first served', async () => {
      const jobs = start()
      const made: string[] = []
      for (let index = 0; index < 20; index++) made.push((await jobs.submit()).jobId)
      const taken: string[] = []
      for (let index = 0; index < 20; index++) {
        taken.push((await jobs.claimSome({ limit: 1 }))[0]?.jobId ?? '')
      }
      expect(taken).toEqual(made)
    })

    it('has a token of its own each time, and tells how long the job was ready', async () => {
      const jobs = start()
      await jobs.submit()
      jobs.advance(700)
      const first = await jobs.claim()
      expect(first).toMatchObject({ run: 1, attempt: 1, queuedMs: 700, startedAt: jobs.now() })
      await jobs.requeue(first, 'retry-later', 5_000)
      jobs.advance(6_500)
      const second = await jobs.claim()
      expect(second).toMatchObject({ run: 2, attempt: 2, queuedMs: 1_500 })
      expect(second.token).not.toBe(first.token)
    })

    it('does not count the wait for a predecessor as ready time', async () => {
      const jobs = start()
      const first = await jobs.submit()
      const claim = await jobs.claim()
      await jobs.follow(first)
      jobs.advance(60_000)
      await jobs.succeed(claim)
      jobs.advance(40)
      expect((await jobs.claim()).queuedMs).toBe(40)
    })
  })
}

/** A running job of a cluster: it has no heartbeat, and only its scheduler knows how it stands. */
async function external(jobs: ReturnType<typeof jobFactory>): Promise<void> {
  const { jobId } = await jobs.submit()
  await jobs.claim()
  await jobs.database.rows(
    sql`update job set external = true, running_heartbeat_at = null where id = ${jobId}::uuid`,
  )
}
