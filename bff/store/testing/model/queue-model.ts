import type { ErrorKind } from '../../../../shared/job.ts'
import { agingMsDefault, claimRank } from '../../../domain/claim-order.ts'
import { ceilingMs, crashesMax, defaultDeadlines } from '../../../domain/deadlines.ts'
import { applyEvent, isTerminal, type JobHappening } from '../../../domain/job-state.ts'
import { byRank, type ModelJob, type ModelPrompt, type ModelSubmit, newFacts } from './model-job.ts'

/** One event as the model expects it: which job it is of, and its kind. */
export interface ModelEvent {
  jobId: string
  kind: string
}

export interface ClaimWish {
  limit: number
  priorityCeiling: number
}

/** How the holder of a claim ends its run. */
export type RunEnd =
  | { event: 'succeed'; responseId: string }
  | { event: 'fail'; errorKind: ErrorKind }
  | { event: 'retry-later' | 'wait-for-provider'; errorKind: ErrorKind; availableAt: number }
  | { event: 'hand-back' }

/**
 * The whole queue in a few maps: what every statement must do, said without SQL. State and fence come from `applyEvent`;
 * due times, waiting for others, holding, the order of claims, the ledger and the events are said here.
 * Each method does what the statement of the same name must do, and returns what that must return.
 */
export function createQueueModel(startMs: number) {
  const jobs = new Map<string, ModelJob>()
  const prompts = new Map<string, ModelPrompt>()
  let events: ModelEvent[] = []
  let nowMs = startMs

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

  const moveFollowers = (promptId: string, fate: 'succeeded' | 'failed' | 'cancelled' | 'retried'): void => {
    for (const follower of jobs.values()) {
      if (follower.blockedBy !== promptId || follower.facts.state !== 'queued') continue
      if (fate === 'succeeded') {
        follower.blockedBy = null
        follower.holdReason = null
        follower.availableAt = Math.max(follower.availableAt, nowMs)
        tell(follower, 'job-released')
        continue
      }
      const cause = fate === 'retried' ? null : fate
      if (follower.holdReason === cause) continue
      follower.holdReason = cause
      tell(follower, cause ? 'job-held' : 'job-waiting')
    }
  }

  const claimable = (wish: ClaimWish): ModelJob[] =>
    [...jobs.values()]
      .filter((one) => one.facts.state === 'queued' && one.blockedBy === null && one.availableAt <= nowMs)
      .filter((one) => one.priority <= wish.priorityCeiling)
      .sort(byRank)
      .slice(0, wish.limit)

  return {
    jobs: jobs as ReadonlyMap<string, ModelJob>,
    prompts: prompts as ReadonlyMap<string, ModelPrompt>,
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
      const { promptId, jobId, orgId, provider, parentId, priority, maxAttempts } = wanted
      const parent = parentId === null ? null : current(parentId).facts.state
      const scheduledFor = wanted.scheduledFor === null ? null : new Date(wanted.scheduledFor)
      const rank = { createdAt: new Date(nowMs), scheduledFor, priority }
      prompts.set(promptId, { id: promptId, orgId, parentId, revision: 0, currentJobId: jobId })
      const made: ModelJob = {
        id: jobId,
        promptId,
        orgId,
        provider,
        priority,
        claimRank: claimRank(rank, agingMsDefault),
        createdAt: nowMs,
        supersedes: null,
        facts: newFacts(maxAttempts),
        availableAt: Math.max(nowMs, wanted.scheduledFor ?? 0),
        blockedBy: parent === null || parent === 'succeeded' ? null : parentId,
        holdReason: parent === 'failed' || parent === 'cancelled' ? parent : null,
        crashes: 0,
        ledger: [],
      }
      jobs.set(jobId, made)
      tell(made, 'job-queued')
    },

    claimable,

    /** @param tokenOf the token that the store made for a job: the one thing that the model cannot know. */
    claim(wish: ClaimWish, tokenOf: (jobId: string) => string | undefined): void {
      for (const one of claimable(wish)) move(one, { event: 'claim', token: tokenOf(one.id) }, 'job-claimed')
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
      const counted = how.event !== 'wait-for-provider' && how.event !== 'hand-back'
      one.ledger.push({ run, attempt, counted, errorKind: 'errorKind' in how ? how.errorKind : null })
      if ('availableAt' in how) one.availableAt = how.availableAt
      if (how.event === 'succeed') moveFollowers(one.promptId, 'succeeded')
      if (how.event === 'fail') moveFollowers(one.promptId, 'failed')
      return true
    },

    cancel(jobId: string): boolean {
      const one = job(jobId)
      const { run, attempt, state } = one.facts
      if (!move(one, { event: 'cancel' }, 'job-cancelled')) return false
      if (state === 'running') one.ledger.push({ run, attempt, counted: false, errorKind: null })
      one.blockedBy = null
      one.holdReason = null
      moveFollowers(one.promptId, 'cancelled')
      return true
    },

    /** Whether the prompt's current job can be replaced by a new one. */
    canRetry: (promptId: string): boolean => isTerminal(current(promptId).facts.state),

    retry(promptId: string, jobId: string): void {
      const prompt = known(prompts, promptId)
      const old = current(promptId)
      const next = applyEvent(old.facts, { event: 'supersede', at: nowMs })
      if (!next) throw new Error(`${old.facts.state} cannot be superseded`)
      old.facts = next
      const parent = prompt.parentId === null ? null : current(prompt.parentId).facts.state
      const made: ModelJob = {
        ...old,
        id: jobId,
        claimRank: nowMs + old.priority * agingMsDefault,
        createdAt: Math.max(nowMs, old.createdAt + 1),
        supersedes: old.id,
        facts: newFacts(old.facts.maxAttempts),
        availableAt: nowMs,
        blockedBy: parent === 'queued' || parent === 'running' ? prompt.parentId : null,
        holdReason: null,
        crashes: 0,
        ledger: [],
      }
      jobs.set(jobId, made)
      prompt.currentJobId = jobId
      tell(made, 'job-queued')
      moveFollowers(promptId, 'retried')
    },

    /** Takes back what is past its lease, or, after a restart, whatever runs. */
    reclaim(formerSelf: boolean): { requeued: string[]; failed: string[] } {
      const done: { requeued: string[]; failed: string[] } = { requeued: [], failed: [] }
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
          done.requeued.push(one.id)
        } else {
          move(one, { event: 'give-up', errorKind }, 'job-failed')
          done.failed.push(one.id)
        }
      }
      for (const id of done.failed) moveFollowers(job(id).promptId, 'failed')
      return done
    },
  }
}

export type QueueModel = ReturnType<typeof createQueueModel>

const endKind: Record<RunEnd['event'], string> = {
  succeed: 'job-succeeded',
  fail: 'job-failed',
  'retry-later': 'attempt-failed',
  'wait-for-provider': 'attempt-failed',
  'hand-back': 'job-returned',
}

function aliveAt(one: ModelJob): number {
  return one.facts.heartbeatAt ?? 0
}

function known<Value>(map: ReadonlyMap<string, Value>, id: string): Value {
  const value = map.get(id)
  if (value === undefined) throw new Error(`the model has no ${id}`)
  return value
}
