import { sql } from 'drizzle-orm'
import { v7 as uuidV7 } from 'uuid'
import { describe, expect, it } from 'vitest'
import { fieldFlags } from '../../../../shared/observe.ts'
import type { PromptView } from '../../../../shared/prompt-view.ts'
import { markSeen } from '../../entities/mark-seen.ts'
import { readFieldRows, readThreadRows } from '../../views/read-field.ts'
import { readNewestViews, readOwnViews, readThreadViews, readViewsById } from '../../views/read-views.ts'
import { type JobFactory, jobFactory, type MadePrompt } from '../job-factory.ts'
import type { TestDatabase } from '../test-database.ts'

export function viewsConformance(open: () => TestDatabase): void {
  const start = () => jobFactory(open().database)

  async function view(jobs: JobFactory, { promptId }: { promptId: string }): Promise<PromptView> {
    const [found] = await readViewsById(jobs.database, [promptId])
    if (!found) throw new Error(`no view of ${promptId}`)
    return found.view
  }

  describe('the reason of a wait', () => {
    const inMs = (jobs: JobFactory, ms: number) => new Date(jobs.now().getTime() + ms).toISOString()

    it('is the place in line, or nothing once it runs or is settled', async () => {
      const jobs = start()
      const made = await jobs.submit()
      expect(await view(jobs, made)).toMatchObject({ wait_reason: { code: 'in_line' }, retry_at: null })
      const claim = await jobs.claim()
      expect((await view(jobs, made)).wait_reason).toBeNull()
      await jobs.succeed(claim)
      expect((await view(jobs, made)).wait_reason).toBeNull()
    })

    it('is the time it is scheduled for, until it has run once', async () => {
      const jobs = start()
      const at = inMs(jobs, 60_000)
      const made = await jobs.submit({ scheduled_for: at, available_at: at })
      expect(await view(jobs, made)).toMatchObject({
        wait_reason: { code: 'scheduled', at },
        scheduled_for: at,
      })
      jobs.advance(60_000)
      await jobs.handBack(await jobs.claim())
      expect((await view(jobs, made)).wait_reason).toEqual({ code: 'in_line' })
    })

    it('is the backoff of a failed attempt', async () => {
      const jobs = start()
      const made = await jobs.submit()
      await jobs.requeue(await jobs.claim(), 'retry-later', 7_000)
      const at = inMs(jobs, 7_000)
      expect(await view(jobs, made)).toMatchObject({
        wait_reason: { code: 'backoff', at },
        retry_at: at,
        error_kind: 'timeout',
        attempt: 2,
      })
    })

    it('is the provider’s limit, and no longer once the job has run again', async () => {
      const jobs = start()
      const made = await jobs.submit()
      await jobs.requeue(await jobs.claim(), 'wait-for-provider', 9_000)
      const until = inMs(jobs, 9_000)
      expect(await view(jobs, made)).toMatchObject({
        wait_reason: { code: 'rate_limit', provider: 'scripted', until },
        attempt: 1,
      })
      jobs.advance(9_000)
      await jobs.handBack(await jobs.claim())
      expect(await view(jobs, made)).toMatchObject({ wait_reason: { code: 'in_line' }, retry_at: null })
      await jobs.claim()
      await jobs.reclaim({ formerSelf: true })
      expect((await view(jobs, made)).wait_reason).toEqual({ code: 'in_line' })
    })

    it('is the prompt it comes after, with the cause once it is held', async () => {
      const jobs = start()
      const first = await jobs.submit()
      const follower = await jobs.follow(first)
      const after = { code: 'after', prompt_id: first.promptId }
      expect((await view(jobs, follower)).wait_reason).toEqual(after)
      await jobs.cancel(first.jobId)
      const held = { code: 'held', prompt_id: first.promptId, cause: 'cancelled' }
      expect((await view(jobs, follower)).wait_reason).toEqual(held)
    })

    it('after a crash is the place in line', async () => {
      const jobs = start()
      const made = await jobs.submit()
      await jobs.claim()
      await jobs.reclaim({ formerSelf: true })
      expect(await view(jobs, made)).toMatchObject({
        wait_reason: { code: 'in_line' },
        error_kind: 'worker_crash',
      })
    })
  })

  describe('the answer shown', () => {
    // R017
    it('is that of the newest job ever claimed; earlier jobs stay reachable', async () => {
      const jobs = start()
      const made = await jobs.submit()
      await jobs.succeed(await jobs.claim(), { text: 'Old.' })
      const old = await view(jobs, made)
      const second = await jobs.retry(made.promptId)
      expect(await view(jobs, made)).toMatchObject({ state: 'queued', answer_excerpt: 'Old.' })
      await jobs.cancel(second ?? '')
      const cancelled = await view(jobs, made)
      expect(cancelled).toMatchObject({ state: 'cancelled', answer_excerpt: 'Old.' })
      expect(cancelled.response_id).toBe(old.response_id)
      const third = await jobs.retry(made.promptId)
      const claim = await jobs.claim()
      expect((await view(jobs, made)).response_id).toBeNull()
      await jobs.succeed(claim, { text: 'New.' })
      expect(await view(jobs, made)).toMatchObject({
        job_id: third,
        answer_excerpt: 'New.',
        correlation_id: made.promptId,
        earlier_jobs: [
          { job_id: made.jobId, outcome: 'succeeded' },
          { job_id: second, outcome: 'cancelled' },
        ],
      })
    })

    it('is marked when it was cut at the token limit', async () => {
      const jobs = start()
      const made = await jobs.submit()
      await jobs.succeed(await jobs.claim(), { finishReason: 'length' })
      expect(await view(jobs, made)).toMatchObject({ truncated: true, tokens: 3, model: 'script-1' })
    })

    it('of the practice provider is marked', async () => {
      const jobs = start()
      const made = await jobs.submit({ provider: 'practice' })
      expect((await view(jobs, made)).practice).toBe(true)
    })
  })

  describe('seen', () => {
    const see = (jobs: JobFactory, prompts: { prompt_id: string; job_id: string }[], who = jobs.owner) =>
      jobs.database.transaction((tx) => markSeen(tx, who, prompts, jobs.now()))

    it('names the job: a new answer is unseen again', async () => {
      const jobs = start()
      const made = await jobs.submit()
      await jobs.succeed(await jobs.claim())
      expect((await view(jobs, made)).seen).toBe(false)
      await see(jobs, [{ prompt_id: made.promptId, job_id: made.jobId }])
      const seen = await view(jobs, made)
      expect(seen.seen).toBe(true)
      await see(jobs, [{ prompt_id: made.promptId, job_id: made.jobId }])
      expect((await jobs.eventKinds(made.promptId)).filter((kind) => kind === 'prompt-seen')).toHaveLength(1)
      expect(await jobs.revision(made.promptId)).toBe(seen.revision)
      await jobs.retry(made.promptId)
      expect((await view(jobs, made)).seen).toBe(true)
      await jobs.succeed(await jobs.claim(), { text: 'New.' })
      expect((await view(jobs, made)).seen).toBe(false)
    })

    it('takes neither another’s prompt nor a job that is not the prompt’s', async () => {
      const jobs = start()
      const made = await jobs.submit()
      const other = await jobs.submit()
      const stranger = { orgId: jobs.owner.orgId, personId: uuidV7() }
      await see(jobs, [{ prompt_id: made.promptId, job_id: made.jobId }], stranger)
      await see(jobs, [{ prompt_id: made.promptId, job_id: other.jobId }])
      await see(jobs, [{ prompt_id: uuidV7(), job_id: uuidV7() }])
      expect(await jobs.database.rows(sql`select from seen`)).toEqual([])
    })

    it('takes the newest of several jobs of one prompt', async () => {
      const jobs = start()
      const made = await jobs.submit()
      await jobs.succeed(await jobs.claim())
      const newer = (await jobs.retry(made.promptId)) ?? ''
      await jobs.succeed(await jobs.claim())
      const both = [newer, made.jobId].map((job_id) => ({ prompt_id: made.promptId, job_id }))
      await see(jobs, both)
      expect((await view(jobs, made)).seen).toBe(true)
    })
  })

  describe('pages', () => {
    it('of the newest and of a thread hold each prompt once, though many share a moment', async () => {
      const jobs = start()
      const root = await jobs.submit()
      const made = [root]
      for (let more = 0; more < 24; more++) {
        if (more % 10 === 9) jobs.advance(1)
        made.push(await jobs.follow(root))
      }
      const newest: string[] = []
      for (let before: { createdAt: Date; id: string } | null = null; ; ) {
        const page = await readNewestViews(jobs.database, jobs.owner, { before, limit: 7 })
        newest.push(...page.map((one) => one.prompt_id))
        const last = page.at(-1)
        if (!last) break
        before = { createdAt: new Date(last.created_at), id: last.prompt_id }
      }
      const oldest: string[] = []
      for (let after: { createdAt: Date; id: string } | null = null; ; ) {
        const page = await readThreadViews(jobs.database, jobs.owner, root.promptId, { after, limit: 7 })
        oldest.push(...page.map((one) => one.prompt_id))
        const last = page.at(-1)
        if (!last) break
        after = { createdAt: new Date(last.created_at), id: last.prompt_id }
      }
      expect(newest.toReversed()).toEqual(oldest)
      expect(new Set(oldest)).toEqual(new Set(made.map((one) => one.promptId)))
      expect(oldest).toHaveLength(made.length)
    })

    it('leave out what is another’s or deleted', async () => {
      const jobs = start()
      const mine = await jobs.submit()
      const foreign = await jobs.submit({ created_by: uuidV7() })
      const elsewhere = await jobs.submit({ org_id: uuidV7() })
      const deleted = await jobs.submit()
      await jobs.database.rows(
        sql`update entity set state_class = 'retracted' where id = ${deleted.promptId}::uuid`,
      )
      const ids = [mine, foreign, elsewhere, deleted].map((one) => one.promptId)
      const own = await readOwnViews(jobs.database, jobs.owner, [...ids, uuidV7()])
      expect(own.map((one) => one.prompt_id)).toEqual([mine.promptId])
      const rows = await readFieldRows(jobs.database, jobs.owner.orgId, jobs.owner.personId)
      expect(rows.map((row) => row.id)).toEqual([mine.promptId])
    })
  })

  describe('the field', () => {
    it('flags each prompt as its view has it, in every state', async () => {
      const jobs = start()
      for (const made of await everyState(jobs)) {
        const seen = await view(jobs, made)
        const rows = await readFieldRows(jobs.database, jobs.owner.orgId, jobs.owner.personId)
        const row = rows.find((one) => one.id === made.promptId)
        expect(row).toMatchObject({ state: seen.state, revision: seen.revision, parent_id: seen.parent_id })
        expect(row?.flags, seen.state).toBe(flagsOf(seen))
      }
    })

    it('has a lane for every thread, in the order in which they began', async () => {
      const jobs = start()
      const first = await jobs.submit({ title: 'One' })
      jobs.advance(5)
      await jobs.submit({ title: 'Two' })
      await jobs.follow(first)
      const lanes = await readThreadRows(jobs.database, jobs.owner.orgId, jobs.owner.personId)
      expect(lanes.map((lane) => lane.title)).toEqual(['One', 'Two'])
    })

    // R021
    it('has a lane for a prompt whose thread row is missing', async () => {
      const jobs = start()
      const made = await jobs.submit({ body: 'Lost thread' })
      await jobs.database.rows(sql`delete from thread`)
      const lanes = await readThreadRows(jobs.database, jobs.owner.orgId, jobs.owner.personId)
      expect(lanes).toMatchObject([{ id: made.promptId, title: 'Lost thread' }])
    })
  })
}

/** One prompt in each situation that a flag or a reason tells apart. */
async function everyState(jobs: JobFactory): Promise<MadePrompt[]> {
  const answered = await jobs.submit()
  await jobs.succeed(await jobs.claim())
  const promotedAndRetried = await jobs.submit()
  await jobs.succeed(await jobs.claim())
  await jobs.database.rows(sql`
    update entity set state_class = 'promoted' where parent_id = ${promotedAndRetried.promptId}::uuid`)
  const promoted = await jobs.submit()
  await jobs.succeed(await jobs.claim())
  await jobs.database.rows(sql`
    update entity set state_class = 'promoted' where parent_id = ${promoted.promptId}::uuid`)
  const cut = await jobs.submit({ provider: 'practice' })
  await jobs.succeed(await jobs.claim(), { finishReason: 'length' })
  const seen = await jobs.submit()
  await jobs.succeed(await jobs.claim())
  await jobs.database.transaction((tx) =>
    markSeen(tx, jobs.owner, [{ prompt_id: seen.promptId, job_id: seen.jobId }], jobs.now()),
  )
  const failed = await jobs.submit()
  await jobs.fail(await jobs.claim())
  const held = await jobs.follow(failed)
  const running = await jobs.submit()
  await jobs.claim()
  await jobs.retry(promotedAndRetried.promptId)
  return [answered, promotedAndRetried, promoted, cut, seen, failed, held, running]
}

function flagsOf(view: PromptView): number {
  const bits: [boolean, number][] = [
    [view.state === 'succeeded' && !view.seen, fieldFlags.unseen],
    [view.truncated, fieldFlags.truncated],
    [view.promoted, fieldFlags.promoted],
    [view.practice, fieldFlags.practice],
    [view.external !== null, fieldFlags.external],
    [view.wait_reason?.code === 'held', fieldFlags.held],
  ]
  return bits.reduce((flags, [on, bit]) => (on ? flags | bit : flags), 0)
}
