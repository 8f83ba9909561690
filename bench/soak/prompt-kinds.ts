import type { ErrorKind, JobState } from '../../shared/job.ts'
import type { SubmitOptions } from '../../shared/submit.ts'

/** How a prompt has to end; `held` is why it still waits for the one before it. */
export interface FinalState {
  state: JobState
  errorKind: ErrorKind | null
  held: 'failed' | 'cancelled' | null
}

interface PromptKind {
  options: SubmitOptions
  /** `either`: a cancel races with the answer, and whichever the server acknowledged has to hold. */
  ends: FinalState | 'either'
}

const answered: FinalState = { state: 'succeeded', errorKind: null, held: null }
const cancelled: FinalState = { state: 'cancelled', errorKind: null, held: null }
/** Waits until it is cancelled: far beyond any soak. */
const someday = '2999-01-01T00:00:00.000Z'
const fast = { model: 'practice-fast' }
const waiting = { ...fast, scheduled_for: someday }

/** What is asked of each kind of prompt and how it has to end, whatever dies on the way. */
export const promptKinds = {
  fast: { options: fast, ends: answered },
  steady: { options: { model: 'practice' }, ends: answered },
  flaky: { options: { model: 'practice-flaky' }, ends: answered },
  truncated: { options: { model: 'practice-truncated' }, ends: answered },
  limited: { options: { model: 'practice-rate-limited' }, ends: answered },
  failing: {
    options: { model: 'practice-failing' },
    ends: { state: 'failed', errorKind: 'provider_4xx', held: null },
  },
  broken: {
    options: { model: 'practice-broken' },
    ends: { state: 'failed', errorKind: 'unknown', held: null },
  },
  /** Fails, and is retried by the person until it succeeds. */
  'fails-once': { options: { model: 'practice-fail-once' }, ends: answered },
  /** Answered, and then asked again. */
  'asked-again': { options: fast, ends: answered },
  'cancelled-waiting': { options: waiting, ends: cancelled },
  'cancelled-running': { options: { model: 'practice-stall' }, ends: cancelled },
  'cancelled-racing': { options: fast, ends: 'either' },
  /** Cancelled while it waits, then retried. */
  revived: { options: waiting, ends: answered },
  /** Continues the prompt before it, mostly before that one is answered. */
  follower: { options: fast, ends: answered },
  'flaky-follower': { options: { model: 'practice-flaky' }, ends: answered },
  /** Cancelled under its follower, which stays held. */
  'held-first': { options: waiting, ends: cancelled },
  'held-follower': { options: fast, ends: { state: 'queued', errorKind: null, held: 'cancelled' } },
  /** Cancelled under its follower and then retried: both end answered. */
  'freed-first': { options: waiting, ends: answered },
  'freed-follower': { options: fast, ends: answered },
} as const satisfies Readonly<Record<string, PromptKind>>

export type KindName = keyof typeof promptKinds

export function endOf(kind: KindName): FinalState | 'either' {
  return promptKinds[kind].ends
}

export function sameEnd(one: FinalState, other: FinalState): boolean {
  return one.state === other.state && one.errorKind === other.errorKind && one.held === other.held
}

/** Threads by their prompts' kinds, and which share of all prompts is in threads like it; `fast` fills up the rest. */
export const threadShapes: readonly { kinds: readonly KindName[]; share: number }[] = [
  { kinds: ['steady'], share: 0.1 },
  { kinds: ['flaky'], share: 0.1 },
  { kinds: ['truncated'], share: 0.02 },
  // Each closes the provider's gate for everybody for two seconds, several times.
  { kinds: ['limited'], share: 0.004 },
  { kinds: ['failing'], share: 0.04 },
  { kinds: ['broken'], share: 0.02 },
  { kinds: ['fails-once'], share: 0.03 },
  { kinds: ['asked-again'], share: 0.03 },
  { kinds: ['cancelled-waiting'], share: 0.04 },
  { kinds: ['cancelled-running'], share: 0.03 },
  { kinds: ['cancelled-racing'], share: 0.05 },
  { kinds: ['revived'], share: 0.02 },
  { kinds: ['fast', 'flaky-follower', 'follower'], share: 0.06 },
  { kinds: ['held-first', 'held-follower'], share: 0.02 },
  { kinds: ['freed-first', 'freed-follower'], share: 0.02 },
]
