import { describe, expect, it } from 'vitest'
import { failure } from '../../../domain/failure.ts'
import { applyEvent, type JobHappening, violations } from '../../../domain/job-state.ts'
import { appendDraft } from '../../drafts.ts'
import { beat } from '../../jobs/beat.ts'
import type { ClaimedJob } from '../../jobs/claim-jobs.ts'
import { responseId } from '../../response-id.ts'
import { readViewsById } from '../../views/read-views.ts'
import { type JobFactory, jobFactory, type MadePrompt } from '../job-factory.ts'
import type { TestDatabase } from '../test-database.ts'

/**
 * Does `step` and requires of the row what the model says, of the prompt one revision more, of the events one of
 * `kind`: each move of the table, by each statement.
 */
async function moves(
  jobs: JobFactory,
  { promptId, jobId }: MadePrompt,
  happening: Omit<JobHappening, 'at'>,
  kind: string,
  step: () => Promise<unknown>,
): Promise<void> {
  const before = await jobs.facts(jobId)
  const revision = await jobs.revision(promptId)
  const events = await jobs.eventKinds(promptId)
  await step()
  const after = await jobs.facts(jobId)
  const token = happening.event === 'claim' ? (after.workerClaim ?? '') : happening.token
  expect(violations(after)).toEqual([])
  expect(after).toEqual(applyEvent(before, { ...happening, token, at: jobs.now().getTime() }))
  expect(await jobs.revision(promptId)).toBe(revision + 1)
  expect(await jobs.eventKinds(promptId)).toEqual([...events, kind])
}

export function movesConformance(open: () => TestDatabase): void {
  async function queued() {
    const jobs = jobFactory(open().database)
    return { jobs, made: await jobs.submit() }
  }
  async function running() {
    const { jobs, made } = await queued()
    jobs.advance(1_000)
    const claim = await jobs.claim()
    jobs.advance(1_000)
    return { jobs, made, claim, token: claim.token }
  }

  describe('each move, by its statement, is that of the model', () => {
    it('submit queues a job with its event', async () => {
      const { jobs, made } = await queued()
      expect(await jobs.facts(made.jobId)).toMatchObject({ state: 'queued', attempt: 1, run: 0 })
      expect(await jobs.revision(made.promptId)).toBe(1)
      expect(await jobs.eventKinds(made.promptId)).toEqual(['job-queued'])
    })

    it('claim', async () => {
      const { jobs, made } = await queued()
      jobs.advance(1_000)
      await moves(jobs, made, { event: 'claim' }, 'job-claimed', () => jobs.claim())
    })

    it('succeed', async () => {
      const { jobs, made, claim, token } = await running()
      const id = responseId({ promptId: made.promptId, jobId: made.jobId, run: 1, requestId: 'r' })
      await moves(jobs, made, { event: 'succeed', token, responseId: id }, 'job-succeeded', () =>
        jobs.succeed(claim, { requestId: 'r' }),
      )
    })

    it('fail', async () => {
      const { jobs, made, claim, token } = await running()
      await moves(jobs, made, { event: 'fail', token, errorKind: 'auth' }, 'job-failed', () =>
        jobs.fail(claim),
      )
    })

    it('retry-later', async () => {
      const { jobs, made, claim, token } = await running()
      await moves(jobs, made, { event: 'retry-later', token, errorKind: 'timeout' }, 'attempt-failed', () =>
        jobs.requeue(claim, 'retry-later', 5_000),
      )
      expect(await jobs.column(made.jobId, 'available_at')).toEqual(new Date(jobs.now().getTime() + 5_000))
      expect(await jobs.column(made.jobId, 'error_message')).toBe('Later.')
    })

    it('wait-for-provider', async () => {
      const { jobs, made, claim, token } = await running()
      const happening = { event: 'wait-for-provider', token, errorKind: 'rate_limit' } as const
      await moves(jobs, made, happening, 'attempt-failed', () => jobs.requeue(claim, 'wait-for-provider'))
      expect(await jobs.column(made.jobId, 'rate_limited_since')).toEqual(jobs.now())
    })

    it('hand-back', async () => {
      const { jobs, made, claim, token } = await running()
      await moves(jobs, made, { event: 'hand-back', token }, 'job-returned', () => jobs.handBack(claim))
      expect((await jobs.claim()).attempt).toBe(1)
    })

    it('reclaim', async () => {
      const { jobs, made } = await running()
      jobs.advance(10 * 60_000)
      await moves(jobs, made, { event: 'reclaim' }, 'job-reclaimed', () => jobs.reclaim())
      expect(await jobs.column(made.jobId, 'available_at')).toEqual(jobs.now())
    })

    it('give-up', async () => {
      const jobs = jobFactory(open().database)
      const made = await jobs.submit({ max_attempts: 1 })
      await jobs.claim()
      jobs.advance(10 * 60_000)
      const happening = { event: 'give-up', errorKind: 'worker_crash' } as const
      await moves(jobs, made, happening, 'job-failed', () => jobs.reclaim())
    })

    it('cancel of a queued job, also of one that failed before', async () => {
      const { jobs, made, claim } = await running()
      await jobs.requeue(claim)
      await moves(jobs, made, { event: 'cancel' }, 'job-cancelled', () => jobs.cancel(made.jobId))
    })

    it('cancel of a running job', async () => {
      const { jobs, made } = await running()
      await moves(jobs, made, { event: 'cancel' }, 'job-cancelled', () => jobs.cancel(made.jobId))
    })

    it.each(['succeeded', 'failed', 'cancelled'] as const)('supersede of a %s job', async (state) => {
      const { jobs, made, claim } = await running()
      if (state === 'succeeded') await jobs.succeed(claim)
      if (state === 'failed') await jobs.fail(claim)
      if (state === 'cancelled') await jobs.cancel(made.jobId)
      let next: string | null = null
      await moves(jobs, made, { event: 'supersede' }, 'job-queued', async () => {
        next = await jobs.retry(made.promptId)
      })
      expect(await jobs.facts(next ?? '')).toMatchObject({ state: 'queued', attempt: 1, run: 0 })
      expect(await jobs.column(next ?? '', 'supersedes')).toBe(made.jobId)
    })
  })

  describe('a move that the table does not have changes nothing', () => {
    const refused: [string, (jobs: JobFactory, made: MadePrompt) => Promise<unknown>, unknown][] = [
      ['a cancel of a settled job', (jobs, made) => jobs.cancel(made.jobId), null],
      [
        'a reclaim of a settled job',
        (jobs) => jobs.reclaim({ formerSelf: true }),
        { requeued: [], failed: [] },
      ],
      ['a claim of a settled job', (jobs) => jobs.claimSome(), []],
    ]
    it.each(refused)('%s', async (_, step, answer) => {
      const { jobs, made, claim } = await running()
      await jobs.succeed(claim)
      const before = await jobs.everything()
      expect(await step(jobs, made)).toEqual(answer)
      expect(await jobs.everything()).toEqual(before)
    })

    it('a retry of a job that waits or runs, and a second retry of one', async () => {
      const { jobs, made } = await queued()
      expect(await jobs.retry(made.promptId)).toBeNull()
      const claim = await jobs.claim()
      expect(await jobs.retry(made.promptId)).toBeNull()
      await jobs.fail(claim)
      expect(await jobs.retry(made.promptId)).not.toBeNull()
      const before = await jobs.everything()
      expect(await jobs.retry(made.promptId)).toBeNull()
      expect(await jobs.everything()).toEqual(before)
    })
  })

  describe('a stale token writes nothing', () => {
    const writes: [string, (jobs: JobFactory, claim: ClaimedJob) => Promise<unknown>][] = [
      ['an answer', (jobs, claim) => jobs.succeed(claim)],
      ['a failure', (jobs, claim) => jobs.fail(claim)],
      ['a requeue', (jobs, claim) => jobs.requeue(claim)],
      ['a wait for the provider', (jobs, claim) => jobs.requeue(claim, 'wait-for-provider')],
      ['a hand-back', async (jobs, claim) => (await jobs.handBack(claim)).length > 0],
      ['a heartbeat', async (jobs, claim) => (await beat(jobs.database, [claim.token], jobs.now())).size > 0],
      ['a draft', (jobs, claim) => draft(jobs, claim, 0, 'late')],
    ]

    // R033
    it.each(writes)('%s after a cancel', async (_, write) => {
      const { jobs, made, claim } = await running()
      await jobs.cancel(made.jobId)
      const before = await jobs.everything()
      expect(await write(jobs, claim)).toBe(false)
      expect(await jobs.everything()).toEqual(before)
    })

    it.each(writes)('%s of an older claim, though the same worker holds a newer one', async (_, write) => {
      const { jobs, made, claim: older } = await running()
      jobs.advance(10 * 60_000)
      await jobs.reclaim()
      const newer = await jobs.claim()
      expect(newer).toMatchObject({ jobId: made.jobId, run: 2, attempt: 2 })
      const before = await jobs.everything()
      expect(await write(jobs, older)).toBe(false)
      expect(await jobs.everything()).toEqual(before)
      expect(await write(jobs, newer)).toBe(true)
    })
  })

  describe('settling', () => {
    it('with an answer writes response, edge, ledger and takes the drafts away', async () => {
      const { jobs, made, claim } = await running()
      expect(await draft(jobs, claim, 0, 'An ')).toBe(true)
      await jobs.succeed(claim, { text: 'An answer.', requestId: 'r' })
      const [all] = await jobs.everything()
      expect(all).toMatchObject({
        drafts: null,
        edges: 1,
        ledger: [{ run: 1, attempt: 1, counted: true, run_ms: 1_000, partial_text: null, error_kind: null }],
      })
      expect(all).toHaveProperty(
        'entities',
        expect.arrayContaining([
          expect.objectContaining({
            kind: 'response',
            body: 'An answer.',
            parent_id: made.promptId,
            truth_class: 'generated',
          }),
        ]),
      )
    })

    it.each([
      ['a failure', (jobs: JobFactory, claim: ClaimedJob) => jobs.fail(claim)],
      ['a requeue', (jobs: JobFactory, claim: ClaimedJob) => jobs.requeue(claim)],
      ['a hand-back', (jobs: JobFactory, claim: ClaimedJob) => jobs.handBack(claim)],
      ['a cancel', (jobs: JobFactory, claim: ClaimedJob) => jobs.cancel(claim.jobId)],
      ['a reclaim', (jobs: JobFactory) => jobs.reclaim({ formerSelf: true })],
    ])('by %s keeps the text received so far in the ledger, in order', async (_, end) => {
      const { jobs, claim } = await running()
      for (const [seq, text] of ['One ', 'two ', 'three'].entries()) await draft(jobs, claim, seq, text)
      await end(jobs, claim)
      const [all] = await jobs.everything()
      expect(all).toMatchObject({ drafts: null, ledger: [{ run: 1, partial_text: 'One two three' }] })
    })

    it('counts only what spent an attempt', async () => {
      const { jobs, made, claim } = await running()
      await jobs.handBack(claim)
      await jobs.requeue(await jobs.claim(), 'wait-for-provider', 0)
      await jobs.requeue(await jobs.claim(), 'retry-later', 0)
      await jobs.fail(await jobs.claim(), failure('provider_4xx', 'No.'))
      const [all] = await jobs.everything()
      expect(all).toMatchObject({
        ledger: [
          { run: 1, attempt: 1, counted: false, error_kind: null },
          { run: 2, attempt: 1, counted: false, error_kind: 'rate_limit' },
          { run: 3, attempt: 1, counted: true, error_kind: 'timeout' },
          { run: 4, attempt: 2, counted: true, error_kind: 'provider_4xx' },
        ],
      })
      expect(await jobs.facts(made.jobId)).toMatchObject({ run: 4, attempt: 2, state: 'failed' })
    })

    it('a retry shows the new answer, though the clock was set back in between', async () => {
      const { jobs, made, claim } = await running()
      await jobs.succeed(claim, { text: 'Old.' })
      jobs.advance(-60_000)
      await jobs.retry(made.promptId)
      await jobs.retry(made.promptId)
      jobs.advance(60_000)
      await jobs.succeed(await jobs.claim(), { text: 'New.' })
      const [seen] = await readViewsById(jobs.database, [made.promptId])
      expect(seen?.view).toMatchObject({ answer_excerpt: 'New.', earlier_jobs: [{ job_id: made.jobId }] })
    })

    it('with an answer that is stored already takes it quietly, with another text under its id its own', async () => {
      const { jobs, made, claim } = await running()
      await jobs.succeed(claim, { requestId: 'same', text: 'One.' })
      const first = await jobs.column(made.jobId, 'response_id')
      const second = await jobs.retry(made.promptId)
      await jobs.succeed(await jobs.claim(), { requestId: 'same', text: 'One.' })
      expect(await jobs.column(second ?? '', 'response_id')).toBe(first)
      const third = await jobs.retry(made.promptId)
      await jobs.succeed(await jobs.claim(), { requestId: 'same', text: 'Another.' })
      const own = await jobs.column(third ?? '', 'response_id')
      expect(own).not.toBe(first)
      const [all] = await jobs.everything()
      expect(all).toMatchObject({ edges: 2 })
    })
  })
}

function draft(jobs: JobFactory, claim: ClaimedJob, seq: number, text: string): Promise<boolean> {
  return appendDraft(jobs.database, { claim, run: claim.run, seq, text }, jobs.now())
}
