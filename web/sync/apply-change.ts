import type { ResponseDelta } from '../../shared/change.ts'
import type { PromptView } from '../../shared/prompt-view.ts'
import { afterDelta, afterDraft, afterView, type Draft, type LiveText } from './rows/live-text.ts'

/** What the page knows of one prompt. */
export interface KnownPrompt {
  readonly view: PromptView | undefined
  /** Text of the attempt that runs, as far as it came. */
  readonly live: LiveText | undefined
  /** Jobs whose answer was marked as seen, the newest few: a mark may come before its view. */
  readonly seenJobs: readonly string[]
  /** It was deleted, which is for good. */
  readonly isDeleted: boolean
}

export type PromptChange =
  | { readonly kind: 'view'; readonly view: PromptView }
  | { readonly kind: 'seen'; readonly jobId: string }
  | { readonly kind: 'titled'; readonly title: string }
  | { readonly kind: 'deleted' }
  | { readonly kind: 'delta'; readonly delta: ResponseDelta }
  | { readonly kind: 'draft'; readonly draft: Draft }

/** What is to be written; a field that is absent stays as it is. */
export interface PromptWrites {
  readonly view?: PromptView
  readonly live?: LiveText | null
  readonly seenJobs?: readonly string[]
  /** All that is known of it is to be forgotten. */
  readonly deleted?: true
  /** Text was missed: the draft has to be read, and the stream joined, anew. */
  readonly refetch?: true
}

const nothing: PromptWrites = {}
const seenJobsMax = 8

/**
 * One change to one prompt. Pure and idempotent: a change that is older than what is known, or known already, writes
 * nothing, so that duplicated, reordered, split and replayed feeds end alike and no state ever goes backwards.
 * `seen` and `thread_title` belong to others than the prompt's row: they count at an equal revision too. After a deletion
 * nothing counts, whatever arrives late.
 */
export function applyChange(known: KnownPrompt, change: PromptChange): PromptWrites {
  if (known.isDeleted) return nothing
  switch (change.kind) {
    case 'view':
      return applyView(known, change.view)
    case 'seen':
      return applySeen(known, change.jobId)
    case 'deleted':
      return { deleted: true }
    case 'titled':
      return known.view === undefined || known.view.thread_title === change.title
        ? nothing
        : { view: { ...known.view, thread_title: change.title } }
    case 'delta':
      return afterDelta(known.live, known.view, change.delta)
    case 'draft':
      return afterDraft(known.live, known.view, change.draft)
    default:
      return unreachable(change)
  }
}

function applyView(known: KnownPrompt, incoming: PromptView): PromptWrites {
  const { view } = known
  if (incoming.deleted) return { deleted: true }
  if (view !== undefined && incoming.revision < view.revision) return nothing
  const isNewer = view === undefined || incoming.revision > view.revision
  const seen =
    incoming.seen || known.seenJobs.includes(incoming.job_id) || (!isNewer && (view?.seen ?? false))
  if (!isNewer && view !== undefined) {
    return view.seen === seen && view.thread_title === incoming.thread_title
      ? nothing
      : { view: { ...view, seen, thread_title: incoming.thread_title } }
  }
  const live = afterView(known.live, incoming)
  return {
    view: { ...incoming, seen },
    ...(live === known.live ? {} : { live: live ?? null }),
  }
}

function applySeen(known: KnownPrompt, jobId: string): PromptWrites {
  if (known.seenJobs.includes(jobId)) return nothing
  const seenJobs = [...known.seenJobs, jobId].slice(-seenJobsMax)
  const { view } = known
  return view !== undefined && view.job_id === jobId && !view.seen
    ? { view: { ...view, seen: true }, seenJobs }
    : { seenJobs }
}

function unreachable(change: never): never {
  throw new Error(`a change of a kind that nothing applies: ${JSON.stringify(change)}`)
}
