import fc from 'fast-check'
import { agingMsDefault } from '../../../domain/claim-order.ts'
import { beat } from '../../jobs/beat.ts'
import { changeJob } from '../../jobs/change-job.ts'
import type { ClaimedJob } from '../../jobs/claim-jobs.ts'
import { PredecessorMovedError } from '../../jobs/insert-prompts.ts'
import { releaseJob } from '../../jobs/release-job.ts'
import type { MadePrompt } from '../job-factory.ts'
import type { RealQueue } from './real-queue.ts'

/** What was acknowledged to those who asked, by the kind of event that each must have left behind. */
export type Acknowledged = Record<string, number>

/** Everything that the acts of one run know and were told. */
export interface Crowd {
  real: RealQueue
  made: { prompt: MadePrompt; org: 0 | 1 }[]
  acknowledged: Acknowledged
}

export interface Act {
  run: (crowd: Crowd) => Promise<void>
}

/** One act of a round; several of one round pick the same job or claim often enough. */
export function concurrentAct(): fc.Arbitrary<Act> {
  const pick = fc.nat(10_000)
  const weights: [number, string, (crowd: Crowd, n: number) => Promise<void>][] = [
    [8, 'submit', submit],
    [10, 'claim', claim],
    [6, 'succeed', succeed],
    [3, 'fail', fail],
    [3, 'try later', (crowd, n) => requeue(crowd, n, 'retry-later')],
    [1, 'limit', (crowd, n) => requeue(crowd, n, 'wait-for-provider')],
    [2, 'hand back', handBack],
    [2, 'beat', beatOne],
    [3, 'cancel', cancel],
    [5, 'retry', retry],
    [2, 'release', release],
    [2, 'change', change],
    [2, 'reclaim', reclaim],
  ]
  const acts = weights.map(([weight, name, act]) => ({
    weight,
    arbitrary: pick.map((n) => ({
      run: (crowd: Crowd) => act(crowd, n),
      [fc.toStringMethod]: () => `${name} ${n}`,
    })),
  }))
  return fc.oneof(...acts)
}

function tell({ acknowledged }: Crowd, kind: string, times = 1): void {
  acknowledged[kind] = (acknowledged[kind] ?? 0) + times
}

async function submit(crowd: Crowd, n: number): Promise<void> {
  const { real, made } = crowd
  const org = n % 2 === 0 ? 0 : 1
  const factory = real.orgs[org]
  const mine = made.filter((one) => one.org === org)
  const parent = n % 3 === 0 ? at(mine, n)?.prompt : undefined
  const prompt = factory.prompt({
    job_id: real.nextId(),
    priority: (n * 7) % 101,
    provider: n % 5 === 0 ? 'other' : 'scripted',
    ...(parent ? { parent_id: parent.promptId, correlation_id: parent.promptId } : {}),
  })
  for (;;) {
    try {
      made.push({ prompt: await factory.submit(prompt), org })
      return tell(crowd, 'job-queued')
    } catch (error) {
      // Overtaken by a retry of its parent: the queue of submits asks again too.
      if (!(error instanceof PredecessorMovedError)) throw error
    }
  }
}

async function claim(crowd: Crowd, n: number): Promise<void> {
  const claims = await crowd.real.orgs[0].claimSome({ limit: 1 + (n % 4), workerId: `worker ${n % 3}` })
  crowd.real.claims.push(...claims)
  tell(crowd, 'job-claimed', claims.length)
}

async function succeed(crowd: Crowd, n: number): Promise<void> {
  const held = claimOf(crowd, n)
  if (held && (await crowd.real.orgs[0].succeed(held))) tell(crowd, 'job-succeeded')
}

async function fail(crowd: Crowd, n: number): Promise<void> {
  const held = claimOf(crowd, n)
  if (held && (await crowd.real.orgs[0].fail(held))) tell(crowd, 'job-failed')
}

async function requeue(crowd: Crowd, n: number, event: 'retry-later' | 'wait-for-provider'): Promise<void> {
  const held = claimOf(crowd, n)
  if (!held || held.attempt >= held.maxAttempts) return
  if (await crowd.real.orgs[0].requeue(held, event, 5_000)) tell(crowd, 'attempt-failed')
}

async function handBack(crowd: Crowd, n: number): Promise<void> {
  const some = [claimOf(crowd, n), claimOf(crowd, n + 1)].filter((held) => held !== undefined)
  tell(crowd, 'job-returned', (await crowd.real.orgs[0].handBack(...new Set(some))).length)
}

async function beatOne({ real }: Crowd, n: number): Promise<void> {
  const held = at(real.claims, n)
  if (held) await beat(real.database, [held.token], real.orgs[0].now())
}

async function cancel(crowd: Crowd, n: number): Promise<void> {
  const one = promptOf(crowd, n)
  if (one && (await crowd.real.orgs[0].cancel(one.prompt.jobId))) tell(crowd, 'job-cancelled')
}

async function retry(crowd: Crowd, n: number): Promise<void> {
  const one = promptOf(crowd, n)
  const jobId = one ? await crowd.real.orgs[one.org].retry(one.prompt.promptId) : null
  if (!one || jobId === null) return
  one.prompt.jobId = jobId
  tell(crowd, 'job-queued')
}

async function release(crowd: Crowd, n: number): Promise<void> {
  const one = promptOf(crowd, n)
  if (one) await releaseOne(crowd, one.prompt.jobId)
}

/** A held follower runs without its first. */
export async function releaseOne({ real }: Crowd, jobId: string): Promise<void> {
  const how = { actor: 'a person', orgConcurrency: real.orgConcurrency, now: real.orgs[0].now() }
  await real.database.transaction((tx) => releaseJob(tx, { jobId }, how))
}

async function change(crowd: Crowd, n: number): Promise<void> {
  const { real } = crowd
  const one = promptOf(crowd, n)
  if (!one) return
  const how = {
    priority: n % 101,
    actor: 'a person',
    agingMs: agingMsDefault,
    orgConcurrency: real.orgConcurrency,
    now: real.orgs[0].now(),
  }
  const changed = await real.database.transaction((tx) => changeJob(tx, { jobId: one.prompt.jobId }, how))
  if (changed) tell(crowd, 'job-changed')
}

async function reclaim(crowd: Crowd, n: number): Promise<void> {
  const { requeued, failed } = await crowd.real.orgs[0].reclaim({ formerSelf: n % 3 === 0 })
  tell(crowd, 'job-reclaimed', requeued.length)
  tell(crowd, 'job-failed', failed.length)
}

/** One of the twelve newest claims, which others of the round may pick too. */
function claimOf({ real }: Crowd, n: number): ClaimedJob | undefined {
  return at(real.claims.slice(-12), n)
}

function promptOf({ made }: Crowd, n: number): Crowd['made'][number] | undefined {
  return at(made.slice(-12), n)
}

function at<Item>(from: readonly Item[], n: number): Item | undefined {
  return from[n % Math.max(1, from.length)]
}
