import { describe, expect, it } from 'vitest'
import { type JobFactory, jobFactory, type MadePrompt } from '../job-factory.ts'
import type { TestDatabase } from '../test-database.ts'

export function followersConformance(open: () => TestDatabase): void {
  const start = () => jobFactory(open().database)

  const waits = async (jobs: JobFactory, { jobId }: MadePrompt) => ({
    after: await jobs.column(jobId, 'blocked_by'),
    held: await jobs.column(jobId, 'hold_reason'),
  })

  describe('a follower of an unfinished prompt', () => {
    it('waits while the first waits and runs, and is released in the transaction that settles it', async () => {
      const jobs = start()
      const first = await jobs.submit()
      const follower = await jobs.follow(first)
      expect(await waits(jobs, follower)).toEqual({ after: first.promptId, held: null })
      const claim = await jobs.claim()
      const second = await jobs.follow(first)
      expect(await jobs.claimSome()).toEqual([])
      await jobs.succeed(claim)
      expect(await waits(jobs, follower)).toEqual({ after: null, held: null })
      expect(await jobs.eventKinds(follower.promptId)).toEqual(['job-queued', 'job-released'])
      expect(await jobs.revision(follower.promptId)).toBe(2)
      const claims = await jobs.claimSome()
      expect(claims.map((one) => one.jobId).sort()).toEqual([follower.jobId, second.jobId].sort())
    })

    it.each([
      ['failed', (jobs: JobFactory) => jobs.claim().then((claim) => jobs.fail(claim))],
      ['cancelled', (jobs: JobFactory, first: MadePrompt) => jobs.cancel(first.jobId)],
    ])(
      'is held with the cause when the first is %s, and waits again once that is retried',
      async (cause, end) => {
        const jobs = start()
        const first = await jobs.submit()
        const follower = await jobs.follow(first)
        await end(jobs, first)
        expect(await waits(jobs, follower)).toEqual({ after: first.promptId, held: cause })
        expect(await jobs.claimSome()).toEqual([])
        await jobs.retry(first.promptId)
        expect(await waits(jobs, follower)).toEqual({ after: first.promptId, held: null })
        await jobs.succeed(await jobs.claim())
        expect(await waits(jobs, follower)).toEqual({ after: null, held: null })
        expect(await jobs.eventKinds(follower.promptId)).toEqual([
          'job-queued',
          'job-held',
          'job-waiting',
          'job-released',
        ])
      },
    )

    it('waits on while the first is requeued, handed back or reclaimed', async () => {
      const jobs = start()
      const first = await jobs.submit()
      const follower = await jobs.follow(first)
      const waiting = { after: first.promptId, held: null }
      await jobs.requeue(await jobs.claim(), 'retry-later', 0)
      expect(await waits(jobs, follower)).toEqual(waiting)
      await jobs.handBack(await jobs.claim())
      expect(await waits(jobs, follower)).toEqual(waiting)
      await jobs.claim()
      await jobs.reclaim({ formerSelf: true })
      expect(await waits(jobs, follower)).toEqual(waiting)
      expect(await jobs.eventKinds(follower.promptId)).toEqual(['job-queued'])
    })

    it('holds its own followers when it is cancelled', async () => {
      const jobs = start()
      const first = await jobs.submit()
      const second = await jobs.follow(first)
      const third = await jobs.submit({ parent_id: second.promptId, correlation_id: first.promptId })
      await jobs.cancel(second.jobId)
      expect(await waits(jobs, third)).toEqual({ after: second.promptId, held: 'cancelled' })
      expect(await waits(jobs, second)).toEqual({ after: null, held: null })
    })

    it('that was cancelled and is retried waits for the first again', async () => {
      const jobs = start()
      const first = await jobs.submit()
      const follower = await jobs.follow(first)
      await jobs.cancel(follower.jobId)
      const jobId = (await jobs.retry(follower.promptId)) ?? ''
      const again = { promptId: follower.promptId, jobId }
      expect(await waits(jobs, again)).toEqual({ after: first.promptId, held: null })
      await jobs.succeed(await jobs.claim())
      expect(await waits(jobs, again)).toEqual({ after: null, held: null })
    })

    it('that is retried after its first failed runs without it: the person asked for that', async () => {
      const jobs = start()
      const first = await jobs.submit()
      const follower = await jobs.follow(first)
      await jobs.cancel(first.jobId)
      await jobs.cancel(follower.jobId)
      await jobs.retry(follower.promptId)
      expect((await jobs.claim()).promptId).toBe(follower.promptId)
    })
  })

  describe('a prompt that continues', () => {
    it('an answered one waits for nothing, an ended one is held at once', async () => {
      const jobs = start()
      const answered = await jobs.submit()
      await jobs.succeed(await jobs.claim())
      expect(await waits(jobs, await jobs.follow(answered))).toEqual({ after: null, held: null })
      const ended = await jobs.submit()
      await jobs.cancel(ended.jobId)
      expect(await waits(jobs, await jobs.follow(ended))).toEqual({
        after: ended.promptId,
        held: 'cancelled',
      })
    })

    it('one that is being asked again waits for the new answer', async () => {
      const jobs = start()
      const first = await jobs.submit()
      await jobs.succeed(await jobs.claim())
      await jobs.retry(first.promptId)
      expect(await waits(jobs, await jobs.follow(first))).toEqual({ after: first.promptId, held: null })
    })
  })
}
