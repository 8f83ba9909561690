import fc from 'fast-check'
import { expect } from 'vitest'
import { agingMsDefault } from '../../../domain/claim-order.ts'
import { failure } from '../../../domain/failure.ts'
import { decideRetry } from '../../../domain/retry-policy.ts'
import { beat } from '../../jobs/beat.ts'
import { changeJob } from '../../jobs/change-job.ts'
import type { ClaimedJob } from '../../jobs/claim-jobs.ts'
import { releaseJob } from '../../jobs/release-job.ts'
import { responseId } from '../../response-id.ts'
import type { JobFactory } from '../job-factory.ts'
import { expectSame } from './compare-queues.ts'
import type { QueueModel } from './queue-model.ts'
import type { RealQueue } from './real-queue.ts'

export type QueueCommand = fc.AsyncCommand<QueueModel, RealQueue>

/** Everything that can be asked of the queue, in the mix in which runs are longest before nothing is left to do. */
export function queueCommand(): fc.Arbitrary<QueueCommand> {
  const pick = fc.nat(10_000)
  const submitted = {
    org: fc.nat(1),
    continues: sometimes(2, pick),
    after: sometimes(6, pick),
    provider: fc.constantFrom('scripted', 'scripted', 'other'),
    priority: fc.constantFrom(0, 50, 50, 51, 100),
    maxAttempts: fc.constantFrom(1, 2, 3, 20),
    laterMs: sometimes(5, fc.constantFrom(1, 5_000, 3_600_000)),
  }
  return fc.oneof(
    { weight: 12, arbitrary: fc.record(submitted).map(submit) },
    { weight: 14, arbitrary: fc.record(claiming).map(claim) },
    { weight: 7, arbitrary: pick.map(succeed) },
    { weight: 8, arbitrary: fc.tuple(pick, fc.constantFrom(...failures)).map(([n, why]) => fail(n, why)) },
    { weight: 2, arbitrary: fc.array(pick, { minLength: 1, maxLength: 3 }).map(handBack) },
    { weight: 3, arbitrary: fc.array(pick, { maxLength: 3 }).map(beatSome) },
    { weight: 3, arbitrary: pick.map(cancel) },
    { weight: 4, arbitrary: pick.map(retry) },
    { weight: 2, arbitrary: pick.map(release) },
    { weight: 2, arbitrary: fc.tuple(pick, fc.record(changes)).map(([n, wish]) => change(n, wish)) },
    { weight: 3, arbitrary: fc.constantFrom(false, false, true).map(reclaim) },
    { weight: 8, arbitrary: fc.constantFrom(...jumps).map(jump) },
  )
}

/** Null, or once in so many times a value. */
function sometimes<Value>(times: number, value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> {
  return fc.oneof({ weight: times - 1, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value })
}

const changes = {
  priority: fc.option(fc.constantFrom(0, 50, 100), { nil: undefined }),
  laterMs: fc.option(fc.constantFrom(0, 1_500, 3_600_000), { nil: undefined }),
}
const claiming = {
  limit: fc.integer({ min: 1, max: 4 }),
  worker: fc.nat(2),
  priorityCeiling: fc.constantFrom(100, 100, 100, 50),
}

const failures = [
  failure('timeout', 'Slow.'),
  failure('provider_5xx', 'Down.', { retryAfterMs: 1_500 }),
  failure('auth', 'No key.'),
  failure('rate_limit', 'Too many.', { retryAfterMs: 30_000 }),
  failure('rate_limit', 'Quota.', { retryable: false }),
]

/** Within and across backoff, limits, lease and ceiling, each also by a single ms. */
const jumps = [
  1, 1, 1_500, 1_500, 4_999, 5_000, 30_000, 240_000, 299_999, 300_000, 900_000, 3_600_000, 86_400_000,
]

/** A command that then requires the rows to be those of the model. */
function command(
  text: string,
  act: (model: QueueModel, real: RealQueue) => Promise<void>,
  check: (model: Readonly<QueueModel>) => boolean = () => true,
): QueueCommand {
  return {
    check,
    run: async (model, real) => {
      await act(model, real)
      await expectSame(model, real)
    },
    toString: () => text,
  }
}

interface Submit {
  org: number
  continues: number | null
  after: number | null
  provider: string
  priority: number
  maxAttempts: number
  laterMs: number | null
}

function submit(wish: Submit): QueueCommand {
  const { org, continues, after, provider, priority, maxAttempts, laterMs } = wish
  return command(`submit(${JSON.stringify(wish)})`, async (model, real) => {
    const factory = org === 0 ? real.orgs[0] : real.orgs[1]
    const { orgId } = factory.owner
    const mine = [...model.prompts.values()].filter((prompt) => prompt.orgId === orgId)
    const parentId = continues === null ? null : (at(mine, continues)?.id ?? null)
    const afterId = after === null ? null : (at(mine, after)?.id ?? null)
    // A parent that is not what it runs after must be settled, or there would be two to wait for.
    const twofold = parentId && afterId && parentId !== afterId && !model.canRetry(parentId)
    const scheduledFor = laterMs === null ? null : model.now() + laterMs
    const runsAfter = twofold ? null : afterId
    const prompt = factory.prompt({
      job_id: real.nextId(),
      provider,
      priority,
      max_attempts: maxAttempts,
      after_id: runsAfter,
      execution_options: runsAfter ? { after: runsAfter } : {},
      ...(parentId ? { parent_id: parentId, correlation_id: parentId } : {}),
    })
    model.submit({
      promptId: prompt.prompt_id,
      jobId: prompt.job_id,
      orgId,
      provider,
      parentId,
      afterId: runsAfter,
      priority,
      maxAttempts,
      scheduledFor,
    })
    const { availableAt, claimRank } = model.job(prompt.job_id)
    await factory.submit({
      ...prompt,
      scheduled_for: isoOrNull(scheduledFor),
      available_at: new Date(availableAt).toISOString(),
      claim_rank: claimRank,
    })
  })
}

interface Claim {
  limit: number
  worker: number
  priorityCeiling: number
}

function claim({ limit, worker, priorityCeiling }: Claim): QueueCommand {
  const words = `claim(${limit} by worker ${worker}, priority at most ${priorityCeiling})`
  return command(words, async (model, real) => {
    const wish = { limit, priorityCeiling }
    const claims = await real.orgs[0].claimSome({ ...wish, workerId: `worker ${worker}` })
    const tokens = new Map(claims.map((made) => [made.jobId, made.token]))
    const expected = model.claim(wish, (jobId) => tokens.get(jobId) ?? 'none')
    expect(claims.map((made) => made.jobId)).toEqual(expected)
    real.claims.push(...claims)
  })
}

/** Acts in the name of a claim. */
function holder(
  words: string,
  act: (model: QueueModel, factory: JobFactory, claim: ClaimedJob) => Promise<void>,
  n: number,
): QueueCommand {
  return command(words, async (model, real) => {
    const held = claimOf(model, real, n)
    if (held) await act(model, real.orgs[0], held)
  })
}

function succeed(n: number): QueueCommand {
  return holder(
    `succeed(claim ${n})`,
    async (model, factory, held) => {
      const id = responseId({ ...held, requestId: null })
      const done = model.end(held, { event: 'succeed', responseId: id })
      expect(await factory.succeed(held)).toBe(done)
    },
    n,
  )
}

function fail(n: number, why: (typeof failures)[number]): QueueCommand {
  return holder(
    `fail(claim ${n}, ${why.kind}${why.retryable ? '' : ', final'})`,
    async (model, factory, held) => {
      const now = factory.now()
      const facts = { ...held, failure: why, now, backoffScale: 1, rateLimitedSince: null, random: () => 0 }
      const decision = decideRetry(facts)
      if (decision.event === 'fail') {
        const done = model.end(held, { event: 'fail', errorKind: why.kind })
        expect(await factory.fail(held, why)).toBe(done)
        return
      }
      // The factory names the kind of a failure that is tried again: `timeout` or `rate_limit`.
      const errorKind = decision.event === 'retry-later' ? 'timeout' : 'rate_limit'
      const availableAt = decision.availableAt.getTime()
      const done = model.end(held, { event: decision.event, errorKind, availableAt })
      const afterMs = availableAt - now.getTime()
      expect(await factory.requeue(held, decision.event, afterMs)).toBe(done)
    },
    n,
  )
}

function handBack(picks: number[]): QueueCommand {
  return command(`hand back(claims ${picks})`, async (model, real) => {
    const claims = [...new Set(picks.flatMap((n) => claimOf(model, real, n) ?? []))]
    const expected = model.handBack(claims)
    const returned = await real.orgs[0].handBack(...claims)
    expect(returned.sort()).toEqual(expected.sort())
  })
}

function beatSome(picks: number[]): QueueCommand {
  return command(`beat(claims ${picks})`, async (model, real) => {
    const tokens = picks.flatMap((n) => claimOf(model, real, n)?.token ?? [])
    const alive = await beat(real.database, tokens, new Date(model.now()))
    expect(alive).toEqual(model.beat(tokens))
  })
}

function cancel(n: number): QueueCommand {
  return command(`cancel(job ${n})`, async (model, real) => {
    const job = newest([...model.jobs.values()], n)
    if (!job) return
    const done = model.cancel(job.id)
    const cancelled = await real.orgs[0].cancel(job.id)
    expect(cancelled).toEqual(done ? { jobId: job.id, promptId: job.promptId } : null)
  })
}

function retry(n: number): QueueCommand {
  return command(`retry(prompt ${n})`, async (model, real) => {
    const prompt = newest([...model.prompts.values()], n)
    if (!prompt) return
    const [mine, other] = real.orgs
    const [factory, stranger] = prompt.orgId === mine.owner.orgId ? [mine, other] : [other, mine]
    expect(await stranger.retry(prompt.id), 'by a stranger').toBeNull()
    const jobId = await factory.retry(prompt.id)
    expect(jobId !== null).toBe(model.canRetry(prompt.id))
    if (jobId !== null) model.retry(prompt.id, jobId, 'scripted')
  })
}

function release(n: number): QueueCommand {
  return command(`release(job ${n})`, async (model, real) => {
    const job = newest([...model.jobs.values()], n)
    if (!job) return
    const done = model.release(job.id)
    const how = { actor: 'a person', orgConcurrency: real.orgConcurrency, now: new Date(model.now()) }
    const released = await real.database.transaction((tx) => releaseJob(tx, { jobId: job.id }, how))
    expect(released).toEqual(done ? { jobId: job.id, promptId: job.promptId } : null)
  })
}

interface Change {
  priority: number | undefined
  /** 0: as soon as it can. */
  laterMs: number | undefined
}

function change(n: number, { priority, laterMs }: Change): QueueCommand {
  return command(`change(job ${n}, priority ${priority}, later ${laterMs})`, async (model, real) => {
    const job = newest([...model.jobs.values()], n)
    if (!job) return
    const scheduledFor = laterMs === undefined ? undefined : laterMs === 0 ? null : model.now() + laterMs
    const done = model.change(job.id, {
      ...(priority === undefined ? {} : { priority }),
      ...(scheduledFor === undefined ? {} : { scheduledFor }),
    })
    const how = {
      priority,
      scheduledFor: typeof scheduledFor === 'number' ? new Date(scheduledFor) : scheduledFor,
      actor: 'a person',
      agingMs: agingMsDefault,
      orgConcurrency: real.orgConcurrency,
      now: new Date(model.now()),
    }
    const changed = await real.database.transaction((tx) => changeJob(tx, { jobId: job.id }, how))
    expect(changed).toEqual(done ? { jobId: job.id, promptId: job.promptId } : null)
  })
}

function reclaim(formerSelf: boolean): QueueCommand {
  return command(`reclaim(${formerSelf ? 'whatever runs' : 'past the lease'})`, async (model, real) => {
    const expected = model.reclaim(formerSelf)
    const { requeued, failed } = await real.orgs[0].reclaim({ formerSelf })
    expect({ requeued: requeued.sort(), failed: failed.sort() }).toEqual({
      requeued: expected.requeued.sort(),
      failed: expected.failed.sort(),
    })
  })
}

function jump(byMs: number): QueueCommand {
  return command(`clock(+${byMs} ms)`, async (model, real) => {
    model.advance(byMs)
    for (const factory of real.orgs) factory.advance(byMs)
  })
}

/** Mostly a claim that holds, every fourth time one of the newest, which may be over. */
function claimOf(model: QueueModel, real: RealQueue, n: number): ClaimedJob | undefined {
  if (n % 4 === 0) return newest(real.claims, n / 4)
  const holding = real.claims.filter(({ jobId, token }) => model.job(jobId).facts.workerClaim === token)
  return at(holding, n)
}

/** The n-th of `from`, counted round and round. */
function at<Item>(from: readonly Item[], n: number): Item | undefined {
  return from[n % Math.max(1, from.length)]
}

/** One of the eight newest. */
function newest<Item>(from: readonly Item[], n: number): Item | undefined {
  return at(from.slice(-8), n)
}

function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
