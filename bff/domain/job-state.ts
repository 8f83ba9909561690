import type { ErrorKind, JobOutcome, JobState } from '../../shared/job.ts'

/**
 * The one transition table (DESIGN §5). It drives the statements in `bff/store/jobs` (which take their states from
 * `fromOf` and `toOf`), the diagram in `docs/job-states.md` (a test compares them), and the model in `applyEvent`.
 */
export const jobEvents = [
  'claim',
  'succeed',
  'retry-later',
  'wait-for-provider',
  'hand-back',
  'fail',
  'reclaim',
  'give-up',
  'cancel',
  'supersede',
] as const
export type JobEvent = (typeof jobEvents)[number]

export interface Transition {
  event: JobEvent
  from: JobState
  to: JobState
  by: 'worker' | 'claim holder' | 'reclaim' | 'person or operator' | 'a new job'
  /** Only the holder of the current claim may do it: `state = 'running' and worker_claim = token`. */
  fenced: boolean
  /** What is added to `attempt`: only counted failures and reclaims that requeue spend one. */
  attempts: 0 | 1
}

export const transitions: readonly Transition[] = [
  { event: 'claim', from: 'queued', to: 'running', by: 'worker', fenced: false, attempts: 0 },
  { event: 'succeed', from: 'running', to: 'succeeded', by: 'claim holder', fenced: true, attempts: 0 },
  { event: 'retry-later', from: 'running', to: 'queued', by: 'claim holder', fenced: true, attempts: 1 },
  {
    event: 'wait-for-provider',
    from: 'running',
    to: 'queued',
    by: 'claim holder',
    fenced: true,
    attempts: 0,
  },
  { event: 'hand-back', from: 'running', to: 'queued', by: 'claim holder', fenced: true, attempts: 0 },
  { event: 'fail', from: 'running', to: 'failed', by: 'claim holder', fenced: true, attempts: 0 },
  { event: 'reclaim', from: 'running', to: 'queued', by: 'reclaim', fenced: false, attempts: 1 },
  { event: 'give-up', from: 'running', to: 'failed', by: 'reclaim', fenced: false, attempts: 0 },
  { event: 'cancel', from: 'queued', to: 'cancelled', by: 'person or operator', fenced: false, attempts: 0 },
  { event: 'cancel', from: 'running', to: 'cancelled', by: 'person or operator', fenced: false, attempts: 0 },
  { event: 'supersede', from: 'succeeded', to: 'superseded', by: 'a new job', fenced: false, attempts: 0 },
  { event: 'supersede', from: 'failed', to: 'superseded', by: 'a new job', fenced: false, attempts: 0 },
  { event: 'supersede', from: 'cancelled', to: 'superseded', by: 'a new job', fenced: false, attempts: 0 },
]

/** The state that `event` leads to from `state`, or null where the table has no such move. */
export function nextState(state: JobState, event: JobEvent): JobState | null {
  return transitions.find((move) => move.event === event && move.from === state)?.to ?? null
}

/** The states from which `event` is possible; statements put them into their `where`. */
export function fromOf(event: JobEvent): readonly JobState[] {
  return transitions.filter((move) => move.event === event).map((move) => move.from)
}

/** The one state that `event` leads to, whatever it came from. */
export function toOf(event: JobEvent): JobState {
  const targets = new Set(transitions.filter((move) => move.event === event).map((move) => move.to))
  const [target, ...others] = targets
  if (target === undefined || others.length > 0) throw new Error(`${event} must lead to exactly one state`)
  return target
}

/** Nothing happens to a job in one of these by itself; only a newer job supersedes it. */
export function isTerminal(state: JobState): boolean {
  switch (state) {
    case 'queued':
    case 'running':
      return false
    case 'succeeded':
    case 'failed':
    case 'cancelled':
    case 'superseded':
      return true
    default:
      return unreachable(state)
  }
}

/** The fields of a job that the state machine governs, and their invariants in `violations`. */
export interface JobFacts {
  state: JobState
  outcome: JobOutcome | null
  attempt: number
  maxAttempts: number
  run: number
  workerClaim: string | null
  startedAt: number | null
  heartbeatAt: number | null
  finishedAt: number | null
  errorKind: ErrorKind | null
  responseId: string | null
}

/** What happens, with what it needs to be carried out. `token` is the claim in whose name a fenced event comes. */
export interface JobHappening {
  event: JobEvent
  at: number
  token?: string
  errorKind?: ErrorKind
  responseId?: string
}

/** The job after `happening`, or null where the table, the fence or the attempt budget refuses it. Changes nothing. */
export function applyEvent(job: JobFacts, happening: JobHappening): JobFacts | null {
  const { event, at } = happening
  const move = transitions.find((row) => row.event === event && row.from === job.state)
  if (!move) return null
  if (move.fenced && (happening.token === undefined || happening.token !== job.workerClaim)) return null
  if (move.attempts > 0 && job.attempt >= job.maxAttempts) return null
  const moved = { ...job, state: move.to, attempt: job.attempt + move.attempts }
  switch (event) {
    case 'claim':
      return happening.token === undefined
        ? null
        : {
            ...moved,
            run: job.run + 1,
            workerClaim: happening.token,
            startedAt: at,
            heartbeatAt: at,
            errorKind: null,
          }
    case 'succeed':
      return happening.responseId === undefined
        ? null
        : { ...settled(moved, 'succeeded', at), errorKind: null, responseId: happening.responseId }
    case 'fail':
    case 'give-up':
      return { ...settled(moved, 'failed', at), errorKind: happening.errorKind ?? 'unknown' }
    case 'cancel':
      return { ...settled(moved, 'cancelled', at), errorKind: null }
    case 'retry-later':
    case 'wait-for-provider':
      return { ...unclaimed(moved), errorKind: happening.errorKind ?? 'unknown' }
    case 'reclaim':
      return { ...unclaimed(moved), errorKind: 'worker_crash' }
    case 'hand-back':
      return unclaimed(moved)
    case 'supersede':
      return moved
    default:
      return unreachable(event)
  }
}

/** Each invariant that `job` breaks, in words; the CHECKs of the schema say the same. */
export function violations(job: JobFacts): string[] {
  const broken: string[] = []
  const say = (wrong: boolean, what: string) => wrong && broken.push(what)
  const claimed = job.workerClaim !== null
  say(job.state === 'running' && !claimed, 'running without a claim')
  say(
    job.state === 'running' && (job.startedAt === null || job.heartbeatAt === null),
    'running without its times',
  )
  say(job.state !== 'running' && claimed, 'claimed but not running')
  say(isTerminal(job.state) !== (job.finishedAt !== null), 'finished_at does not match the state')
  say(isTerminal(job.state) !== (job.outcome !== null), 'outcome does not match the state')
  say(
    job.outcome !== null && job.state !== 'superseded' && job.outcome !== job.state,
    'outcome is not the state',
  )
  say((job.outcome === 'succeeded') !== (job.responseId !== null), 'response_id does not match the outcome')
  say(job.outcome === 'failed' && job.errorKind === null, 'failed without a kind')
  say(job.outcome === 'succeeded' && job.errorKind !== null, 'succeeded with a kind')
  say(job.attempt < 1 || job.attempt > job.maxAttempts, 'attempt out of range')
  say(job.run < 0 || (job.state === 'running' && job.run < 1), 'run out of range')
  return broken
}

function settled(job: JobFacts, outcome: JobOutcome, at: number): JobFacts {
  return { ...job, outcome, finishedAt: at, workerClaim: null }
}

function unclaimed(job: JobFacts): JobFacts {
  return { ...job, workerClaim: null, startedAt: null, heartbeatAt: null }
}

function unreachable(value: never): never {
  throw new Error(`not in the table: ${String(value)}`)
}
