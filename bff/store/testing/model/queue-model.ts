import type { ErrorKind } from '../../../../shared/job.ts'
import { agingMsDefault, claimRank } from '../../../domain/claim-order.ts'
import { ceilingMs, crashesMax, defaultDeadlines } from '../../../domain/deadlines.ts'
import { applyEvent, isTerminal, type JobHappening } from '../../../domain/job-state.ts'
import { byRank, type ModelJob, type ModelPrompt, type ModelSubmit, newFacts } from './model-job.ts'
import { createPermitModel, type FreedNumber, giveBack } from './permit-model.ts'

/** One event as the model expects it: which job it is of, and its kind. */
export interface ModelEvent {
  jobId: string
  kind: string
}

export interface ClaimWish {
  limit: number
  priorityCeiling: number
}

/** What is undefined stays; a time of null means as soon as it can. */
export interface ModelChange {
  priority?: number
  scheduledFor?: number | null
}

/** How the holder of a claim ends its run. */
export type RunEnd =
  | { event: 'succeed'; responseId: string }
  | { event: 'fail'; errorKind: ErrorKind }
  | { event: 'retry-later' | 'wait-for-provider'; errorKind: ErrorKind; availableAt: number }

type Fate = 'succeeded' | 'failed' | 'cancelled' | 'retried'

/**
 * The whole queue in a few maps: what every statement must do, said without SQL. State and fence come from `applyEvent`;
 * due times, waiting for others, holding, the order of claims, permits, gates, the ledger and the events are said here
 * and in `permit-model.ts`. Each method does what the statement of the same name must do, and returns what that returns.
 */
export function createQueueModel(startMs: number, orgConcurrency: number) {
  const jobs = new Map<string, ModelJob>()
  const prompts = new Map<string, ModelPrompt>()
  let events: ModelEvent[] = []
  let nowMs = startMs
  const permits = createPermitModel(jobs, orgConcurrency, () => nowMs)

  const job = (id: string): ModelJob => known(jobs, id)
  const current = (promptId: string): ModelJob => job(known(prompts, promptId).currentJobId)

  const tell = (one: ModelJob, kind: string): void => {
    events.push({ jobId: one.id, kind })
    known(prompts, one.promptId).revision += 1
  }

  /** Moves `one` if the table allows it. */
  const move = (one: ModelJob, happening: Omit<JobHappening, 'at'>, kind: string): boolean => {
    const next = applyEvent(one.facts, { ...happening, at: nowMs })
    if (!next) return false
    one.facts = next
    tell(one, kind)
    return true
  }

  const queue = (made: ModelJob): void => {
    jobs.set(made.id, made)
    tell(made, 'job-queued')
  }

  const followersOf = (promptIds: readonly string[]): ModelJob[] =>
    [...jobs.values()].filter(
      ({ blockedBy, facts }) => blockedBy && promptIds.includes(blockedBy) && facts.state === 'queued',
    )

  const moveFollowers = (promptIds: readonly string[], fate: Fate): void => {
    const cause = fate === 'failed' || fate === 'cancelled' ? fate : null
    for (const follower of followersOf(promptIds)) {
      if (fate === 'succeeded') {
        follower.blockedBy = null
        follower.availableAt = Math.max(follower.availableAt, nowMs)
      } else if (follower.holdReason === cause) continue
      follower.holdReason = cause
      tell(follower, fate === 'succeeded' ? 'job-released' : cause ? 'job-held' : 'job-waiting')
    }
  }

  /**
   * What follows an end: followers hear of it, the gate opens whose probe this was, and the permits are handed on; to
   * whoever was ready before, unless the end itself made a follower ready.
   */
  const afterEnd = (
    promptIds: readonly string[],
    fate: Fate,
    freed: FreedNumber[],
    probes: string[],
  ): void => {
    const followersFirst = fate === 'succeeded' && followersOf(promptIds).length > 0
    if (!followersFirst) permits.handOn(freed)
    moveFollowers(promptIds, fate)
    for (const jobId of probes) permits.openGateOf(jobId)
    if (followersFirst) permits.handOn(freed)
  }

  const inLine = (wish: ClaimWish): ModelJob[] =>
    [...jobs.values()]
      .filter((one) => one.facts.state === 'queued' && one.permit !== null && one.blockedBy === null)
      .filter((one) => one.availableAt <= nowMs && one.priority <= wish.priorityCeiling)
      .filter(permits.gateLets)
      .sort((a, b) => (a.permitAt ?? 0) - (b.permitAt ?? 0) || byRank(a, b))
      .slice(0, wish.limit)

  return {
    jobs: jobs as ReadonlyMap<string, ModelJob>,
    prompts: prompts as ReadonlyMap<string, ModelPrompt>,
    gates: permits.gates,
    now: (): number => nowMs,
    job,
    current,

    advance(byMs: number): void {
      nowMs += byMs
    },

    /** The events since the last call, in the order in which they happened to each job. */
    takeEvents(): ModelEvent[] {
      const taken = events
      events = []
      return taken
    },

    submit(wanted: ModelSubmit): void {
      const { promptId, jobId, orgId, provider, parentId, afterId, priority, maxAttempts } = wanted
      const firstId = afterId ?? parentId
      const first = firstId === null ? null : current(firstId).facts.state
      const scheduledFor = wanted.scheduledFor === null ? null : new Date(wanted.scheduledFor)
      const rank = { createdAt: new Date(nowMs), scheduledFor, priority }
      prompts.set(promptId, { id: promptId, orgId, firstId, revision: 0, currentJobId: jobId })
      queue({
        id: jobId,
        promptId,
        orgId,
        provider,
        priority,
        claimRank: claimRank(rank, agingMsDefault),
        createdAt: nowMs,
        supersedes: null,
        facts: newFacts(maxAttempts),
        scheduledFor: wanted.scheduledFor,
        availableAt: Math.max(nowMs, wanted.scheduledFor ?? 0),
        retryAt: 0,
        blockedBy: first === null || first === 'succeeded' ? null : firstId,
        holdReason: first === 'failed' || first === 'cancelled' ? first : null,
        crashes: 0,
        permit: null,
        permitAt: null,
        ledger: [],
      })
      permits.grantIn(orgId)
    },

    /**
     * What a worker does: it takes who stands in line; where that is too little, permits are granted, and it takes again.
     *
     * @param tokenOf the token that the store made for a job: the one thing that the model cannot know.
     * @returns the jobs in the order in which they must have been claimed.
     */
    claim(wish: ClaimWish, tokenOf: (jobId: string) => string | undefined): string[] {
      const take = (limit: number): string[] => {
        const taken = inLine({ ...wish, limit })
        for (const one of taken) move(one, { event: 'claim', token: tokenOf(one.id) }, 'job-claimed')
        return taken.map((one) => one.id)
      }
      const taken = take(wish.limit)
      if (taken.length === wish.limit) return taken
      permits.grantReady()
      return [...taken, ...take(wish.limit - taken.length)]
    },

    /** The tokens that still hold. */
    beat(tokens: readonly string[]): Set<string> {
      const held = [...jobs.values()].filter((one) => tokens.includes(one.facts.workerClaim ?? ''))
      for (const one of held) one.facts = { ...one.facts, heartbeatAt: nowMs }
      return new Set(held.flatMap((one) => one.facts.workerClaim ?? []))
    },

    /** @returns false for a claim that is lost: nothing has happened then. */
    end(claim: { jobId: string; token: string }, how: RunEnd): boolean {
      const one = job(claim.jobId)
      const { run, attempt } = one.facts
      if (!move(one, { ...how, token: claim.token }, endKind[how.event])) return false
      const counted = how.event !== 'wait-for-provider'
      one.ledger.push({ run, attempt, counted, errorKind: 'errorKind' in how ? how.errorKind : null })
      const own = giveBack(one)
      const freed = own ? [own] : []
      if ('availableAt' in how) {
        one.availableAt = how.availableAt
        one.retryAt = how.availableAt
      }
      if (how.event === 'wait-for-provider') {
        freed.push(...permits.closeGate(one.provider, how.availableAt))
        afterEnd([], 'retried', freed, [])
      } else if (how.event === 'retry-later') afterEnd([], 'retried', freed, [one.id])
      else afterEnd([one.promptId], how.event === 'succeed' ? 'succeeded' : 'failed', freed, [one.id])
      return true
    },

    /** A drain. @returns the jobs that went back; claims that are lost are left alone. */
    handBack(claims: readonly { jobId: string; token: string }[]): string[] {
      const returned = claims.flatMap(({ jobId, token }) => {
        const one = job(jobId)
        const { run, attempt } = one.facts
        if (!move(one, { event: 'hand-back', token }, 'job-returned')) return []
        one.ledger.push({ run, attempt, counted: false, errorKind: null })
        return [one]
      })
      permits.handOn(returned.flatMap((one) => permits.unlessLet(one)))
      return returned.map((one) => one.id)
    },

    cancel(jobId: string): boolean {
      const one = job(jobId)
      const { run, attempt, state } = one.facts
      if (!move(one, { event: 'cancel' }, 'job-cancelled')) return false
      if (state === 'running') one.ledger.push({ run, attempt, counted: false, errorKind: null })
      one.blockedBy = null
      one.holdReason = null
      const freed = giveBack(one)
      afterEnd([one.promptId], 'cancelled', freed ? [freed] : [], [])
      return true
    },

    /** A follower runs without what it waits for. */
    release(jobId: string): boolean {
      const one = job(jobId)
      if (one.facts.state !== 'queued' || one.blockedBy === null) return false
      one.blockedBy = null
      one.holdReason = null
      one.availableAt = Math.max(one.availableAt, nowMs)
      tell(one, 'job-released')
      permits.grantIn(one.orgId)
      return true
    },

    /** Another priority, another time; its permit is for whoever is best ranked now. */
    change(jobId: string, { priority, scheduledFor }: ModelChange): boolean {
      const one = job(jobId)
      if (one.facts.state !== 'queued') return false
      if (priority !== undefined) one.priority = priority
      if (scheduledFor !== undefined) {
        const notBefore = one.facts.errorKind === null ? 0 : one.retryAt
        const wanted = Math.max(scheduledFor ?? 0, notBefore)
        one.availableAt = wanted > nowMs ? wanted : Math.min(one.availableAt, nowMs)
        one.scheduledFor = scheduledFor
      }
      const at = one.scheduledFor === null ? null : new Date(one.scheduledFor)
      const rank = { createdAt: new Date(one.createdAt), scheduledFor: at, priority: one.priority }
      one.claimRank = claimRank(rank, agingMsDefault)
      giveBack(one)
      tell(one, 'job-changed')
      permits.grantIn(one.orgId)
      return true
    },

    /** Whether the prompt's current job can be replaced by a new one. */
    canRetry: (promptId: string): boolean => isTerminal(current(promptId).facts.state),

    retry(promptId: string, jobId: string, provider: string): void {
      const prompt = known(prompts, promptId)
      const old = current(promptId)
      const next = applyEvent(old.facts, { event: 'supersede', at: nowMs })
      if (!next) throw new Error(`${old.facts.state} cannot be superseded`)
      old.facts = next
      const waits = prompt.firstId !== null && !isTerminal(current(prompt.firstId).facts.state)
      prompt.currentJobId = jobId
      queue({
        ...old,
        id: jobId,
        provider,
        claimRank: nowMs + old.priority * agingMsDefault,
        createdAt: Math.max(nowMs, old.createdAt + 1),
        supersedes: old.id,
        facts: newFacts(old.facts.maxAttempts),
        scheduledFor: null,
        availableAt: nowMs,
        retryAt: 0,
        blockedBy: waits ? prompt.firstId : null,
        crashes: 0,
        ledger: [],
      })
      moveFollowers([promptId], 'retried')
      permits.grantIn(old.orgId)
    },

    /** Takes back what is past its lease, or, after a restart, whatever runs. */
    reclaim(formerSelf: boolean): { requeued: string[]; failed: string[] } {
      const requeued: string[] = []
      const failed: ModelJob[] = []
      const running = [...jobs.values()].filter((one) => one.facts.state === 'running')
      const lost = running.filter((one) => formerSelf || aliveAt(one) + defaultDeadlines.leaseMs <= nowMs)
      for (const one of lost) {
        const { run, attempt, maxAttempts } = one.facts
        const stuck = aliveAt(one) - (one.facts.startedAt ?? 0) >= ceilingMs('unknown', defaultDeadlines)
        const again = attempt < maxAttempts && one.crashes + 1 < crashesMax && !stuck
        const errorKind = stuck ? 'stuck' : 'worker_crash'
        one.crashes += 1
        one.ledger.push({ run, attempt, counted: true, errorKind })
        if (again) {
          move(one, { event: 'reclaim' }, 'job-reclaimed')
          one.availableAt = nowMs
          requeued.push(one.id)
        } else {
          move(one, { event: 'give-up', errorKind }, 'job-failed')
          failed.push(one)
        }
      }
      const freed = [
        ...failed.flatMap((one) => giveBack(one) ?? []),
        ...requeued.flatMap((id) => permits.unlessLet(job(id))),
      ]
      const promptIds = failed.map((one) => one.promptId)
      afterEnd(promptIds, 'failed', freed, [])
      return { requeued, failed: failed.map((one) => one.id) }
    },
  }
}

export type QueueModel = ReturnType<typeof createQueueModel>

const endKind: Record<RunEnd['event'], string> = {
  succeed: 'job-succeeded',
  fail: 'job-failed',
  'retry-later': 'attempt-failed',
  'wait-for-provider': 'attempt-failed',
}

function aliveAt(one: ModelJob): number {
  return one.facts.heartbeatAt ?? 0
}

function known<Value>(map: ReadonlyMap<string, Value>, id: string): Value {
  const value = map.get(id)
  if (value === undefined) throw new Error(`the model has no ${id}`)
  return value
}
