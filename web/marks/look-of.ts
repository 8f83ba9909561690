import type { Verdict } from '../../shared/entity.ts'
import type { PromptView } from '../../shared/prompt-view.ts'
import type { WaitReason } from '../../shared/wait-reason.ts'

/** The shape that is drawn: one per state, as in the table of discs. */
export type DiscKind =
  | 'settled'
  | 'new'
  | 'queued'
  | 'pending'
  | 'external'
  | 'review'
  | 'orphan'
  | 'cancelled'
  | 'superseded'
  | 'truncated'
  | 'promoted'
  | 'unsent'
  | 'raft'

/** What stands inside a waiting ring: a place in line, a time, another prompt; null while nothing is known. */
export type WaitMark = { kind: 'line'; place: number } | { kind: 'clock' } | { kind: 'after' } | null

export type Look = {
  readonly disc: DiscKind
  /** The contract's state class with its modifiers, to stand on the drop; empty for a settled answer. */
  readonly className: string
  readonly wait: WaitMark
  readonly verdict: Verdict | null
}

export type LookFacts = Pick<
  PromptView,
  'state' | 'soft_review_at' | 'external' | 'truncated' | 'promoted' | 'seen' | 'verdict' | 'wait_reason'
>

/** What the view itself cannot know: the time, the outbox, the gates and the queue. */
export type LookNow = {
  readonly nowMs: number
  /** Not answered by the server yet, for longer than the moment in which it counts as waiting. */
  readonly unsent?: boolean | undefined
  /** The reason joined from gates and queue; replaces the view's own where given. */
  readonly waitReason?: WaitReason | null | undefined
  /** Place in line, counted from 1. */
  readonly place?: number | undefined
}

/**
 * How a prompt looks. Where several states hold the first of these wins: unsent, failed, soft review, running,
 * queued, cancelled, truncated, new, promoted, settled. A new promoted answer keeps its anchor and takes the
 * bold title; nothing hides a verdict.
 */
export function lookOf(view: LookFacts, now: LookNow): Look {
  const settled = (disc: DiscKind, className: string): Look => ({
    disc,
    className,
    wait: null,
    verdict: view.verdict,
  })
  if (now.unsent) return settled('unsent', 'is-unsent')
  switch (view.state) {
    case 'failed':
      return settled('orphan', 'is-orphan')
    case 'running':
      if (isUnderReview(view, now.nowMs)) {
        return settled('review', view.external ? 'is-pending is-external is-review' : 'is-pending is-review')
      }
      return view.external ? settled('external', 'is-pending is-external') : settled('pending', 'is-pending')
    case 'queued':
      return { ...settled('queued', 'is-queued'), wait: waitMarkOf(view, now) }
    case 'cancelled':
      return settled('cancelled', 'is-cancelled')
    case 'superseded':
      return settled('superseded', 'is-superseded')
    case 'succeeded':
      return lookOfAnswer(view)
    default:
      return unreachable(view.state)
  }
}

/** Whether a running prompt takes longer than its budget lets one expect: a question, not an alarm. */
export function isUnderReview(view: Pick<PromptView, 'state' | 'soft_review_at'>, nowMs: number): boolean {
  return view.state === 'running' && view.soft_review_at !== null && Date.parse(view.soft_review_at) <= nowMs
}

function lookOfAnswer(view: LookFacts): Look {
  const classes: string[] = []
  if (view.truncated) classes.push('is-truncated')
  if (!view.seen) classes.push('is-new')
  if (view.promoted) classes.push('is-promoted')
  const disc = view.truncated ? 'truncated' : view.promoted ? 'promoted' : view.seen ? 'settled' : 'new'
  return { disc, className: classes.join(' '), wait: null, verdict: view.verdict }
}

function waitMarkOf(view: LookFacts, now: LookNow): WaitMark {
  const reason = now.waitReason === undefined ? view.wait_reason : now.waitReason
  switch (reason?.code) {
    case 'scheduled':
    case 'backoff':
    case 'rate_limit':
    case 'scheduler':
      return { kind: 'clock' }
    case 'after':
    case 'held':
      return { kind: 'after' }
    default:
      return now.place === undefined ? null : { kind: 'line', place: now.place }
  }
}

function unreachable(state: never): never {
  throw new Error(`a prompt is in a state that has no look: ${String(state)}`)
}
