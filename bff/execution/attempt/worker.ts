import { beat } from '../../store/jobs/beat.ts'
import { type ClaimedJob, type ClaimRequest, claimJobs } from '../../store/jobs/claim-jobs.ts'
import type { Execution } from '../context.ts'
import { grantReadyJobs } from '../due-times.ts'
import type { StopReason } from './attempt.ts'
import { runAttempt } from './run-attempt.ts'
import type { ClaimNext } from './settle-attempt.ts'

export interface WorkerOptions {
  /** Host and pid, for people to read in `job-details`; proves nothing. */
  workerId: string
  concurrency: number
  /** Claims at most so many at once; the free places by default. */
  batchSize?: number
  /** Leaves jobs of a higher priority number to others. */
  priorityCeiling?: number
  /** Whether a place that becomes free takes the next job at once, in the transaction that frees it. */
  claimsNext?: boolean
}

/**
 * Runs jobs: claims up to its free places, beats for all claims at once, stops an attempt whose claim is lost or whose
 * job is cancelled, and hands back what runs when it is told to drain. Claims when asked (`claimOnce`: the timers around it
 * are in `bff/control`) and, with `claimsNext`, when a place becomes free. Once draining it never claims again.
 */
export interface Worker {
  /**
   * Takes what it has places for; where that is less than it could take, permits are granted first to what is ready.
   *
   * @returns how many it claimed, whether there may be more than it had places for, and, when there are not, at what
   * time there will be.
   */
  claimOnce(): Promise<Claims>
  /** Resolves when nothing runs here. */
  idle(): Promise<void>
  /** Lets attempts finish for a quarter of `graceMs`, then hands the rest back uncounted. */
  drain(graceMs: number): Promise<void>
  readonly running: number
  /** Hears of each attempt that ended. @returns a function that ends the subscription. */
  onFree(listener: () => void): () => void
  /** Ends its subscriptions; call after `drain` or `idle`. */
  close(): void
}

export interface Claims {
  claimed: number
  full: boolean
  /** Whether permits were granted to what is ready; not when every place was taken without. */
  looked: boolean
  nextAt: Date | null
}

interface Held {
  claim: ClaimedJob
  stop: AbortController
  done: Promise<void>
}

export function createWorker(execution: Execution, options: WorkerOptions): Worker {
  const { clock, database, log, settings } = execution
  const held = new Map<string, Held>()
  const freeListeners = new Set<() => void>()
  let draining = false
  let claiming: Promise<unknown> = Promise.resolve()
  let disarmBeat: (() => void) | null = null
  let deadlinesToldMs = Number.NEGATIVE_INFINITY
  /** Heard of lately and not held: perhaps a claim whose commit is answered in this moment. */
  const cancelled = new Set<string>()

  const unsubscribe = [
    database.signals.subscribe('job-cancelled', ({ jobId }) => {
      remember(cancelled, jobId)
      for (const { claim, stop } of held.values())
        if (claim.jobId === jobId) stop.abort('cancelled' satisfies StopReason)
    }),
    // A cancel may be among what was missed: a beat tells which claims are left.
    database.signals.subscribe('signals-missed', () => {
      if (held.size > 0) void beatAll()
    }),
  ]

  const start = (claim: ClaimedJob): void => {
    const stop = new AbortController()
    if (draining) stop.abort('drain' satisfies StopReason)
    if (cancelled.has(claim.jobId)) stop.abort('cancelled' satisfies StopReason)
    const done = runAttempt(execution, claim, stop.signal, claimNext).then((next) => {
      held.delete(claim.token)
      for (const one of next) start(one)
      if (held.size === 0) stopBeating()
      if (next.length === 0) for (const listener of [...freeListeners]) listener()
    })
    held.set(claim.token, { claim, stop, done })
    armBeat()
  }

  const armBeat = (): void => {
    const at = new Date(clock.now().getTime() + settings.deadlines.heartbeatMs)
    disarmBeat ??= clock.at(at, () => {
      disarmBeat = null
      void beatAll()
    })
  }

  const stopBeating = (): void => {
    disarmBeat?.()
    disarmBeat = null
  }

  const beatAll = async (): Promise<void> => {
    const tokens = [...held.keys()]
    try {
      const alive = await beat(database, tokens, clock.now())
      for (const token of tokens)
        if (!alive.has(token)) held.get(token)?.stop.abort('lost' satisfies StopReason)
    } catch (error) {
      log.warn({ err: error }, 'heartbeat could not be written; trying again at the next one')
    }
    if (held.size > 0) armBeat()
  }

  const claimNow = async (): Promise<Claims> => {
    const places = options.concurrency - held.size
    const limit = Math.min(places, options.batchSize ?? places)
    if (draining || limit <= 0) return { claimed: 0, full: false, looked: false, nextAt: null }
    let claimed = await take(limit)
    if (claimed === limit || draining)
      return { claimed, full: claimed === limit, looked: false, nextAt: null }
    const { granted, nextAt } = await grantReadyJobs(execution)
    if (granted > 0 && !draining) claimed += await take(limit - claimed)
    return { claimed, full: claimed === limit, looked: true, nextAt }
  }

  const take = async (limit: number): Promise<number> => {
    const claims = await database.transaction((tx) => claimJobs(tx, request(limit)))
    for (const claim of claims) start(claim)
    return claims.length
  }

  const claimNext = (): ClaimNext | null => {
    if (draining || !options.claimsNext || held.size > options.concurrency) return null
    return (tx) => claimJobs(tx, request(1))
  }

  /**
   * Others are told of deadlines when this worker begins to hold claims, and then so often that who waits for the earliest
   * of them finds the others when its time comes.
   */
  const request = (limit: number): ClaimRequest => {
    const now = clock.now()
    const tellDeadlines = held.size === 0 || now.getTime() - deadlinesToldMs > settings.deadlines.leaseMs / 4
    if (tellDeadlines) deadlinesToldMs = now.getTime()
    const { workerId, priorityCeiling } = options
    return { workerId, limit, now, priorityCeiling, tellDeadlines }
  }

  const idle = async (): Promise<void> => {
    while (held.size > 0) await Promise.all([...held.values()].map(({ done }) => done))
  }

  return {
    claimOnce() {
      const next = claiming.then(claimNow)
      claiming = next.catch(() => {})
      return next
    },
    idle,
    async drain(graceMs) {
      draining = true
      const finishBy = new Date(clock.now().getTime() + graceMs / 4)
      await claiming
      await firstOf(idle(), (late) => clock.at(finishBy, late))
      for (const { stop } of held.values()) stop.abort('drain' satisfies StopReason)
      await idle()
    },
    get running() {
      return held.size
    },
    onFree(listener) {
      freeListeners.add(listener)
      return () => {
        freeListeners.delete(listener)
      }
    },
    close() {
      for (const leave of unsubscribe) leave()
      stopBeating()
    },
  }
}

const rememberedMax = 1_000

/** A job that was cancelled is never claimed again, so that an id may stay until others have taken its place. */
function remember(ids: Set<string>, id: string): void {
  ids.add(id)
  const [oldest] = ids
  if (ids.size > rememberedMax && oldest !== undefined) ids.delete(oldest)
}

/** Whichever comes first: the promise, or the timer that is armed with `arm` and disarmed afterwards. */
async function firstOf(promise: Promise<void>, arm: (fire: () => void) => () => void): Promise<void> {
  let disarm = (): void => {}
  const timer = new Promise<void>((resolve) => {
    disarm = arm(resolve)
  })
  await Promise.race([promise, timer])
  disarm()
}
