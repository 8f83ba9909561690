import { notifyManager, type QueryClient } from '@tanstack/react-query'
import type { ResponseDelta, SseData } from '../../../shared/change.ts'
import type { FieldResponse, PromptDetail } from '../../../shared/observe.ts'
import type { PromptView } from '../../../shared/prompt-view.ts'
import { applyChange, type KnownPrompt, type PromptChange } from '../apply-change.ts'
import { createLayoutIndex, type LayoutIndex } from '../layout-index.ts'
import { queryKeys } from '../query-keys.ts'
import { afterReading } from './live-text.ts'
import { createLiveTexts, type LiveTexts } from './live-texts.ts'
import { createPromptStates, type PromptStates } from './prompt-states.ts'
import { createQueueFacts, type QueueFacts } from './queue-facts.ts'
import { rowView } from './row-view.ts'

/** What the stream, a poll, an answer to a call or another tab brings. The only way into the rows. */
export type Change =
  | { readonly kind: 'view'; readonly view: PromptView }
  | { readonly kind: 'seen'; readonly promptId: string; readonly jobId: string }
  | { readonly kind: 'titled'; readonly threadId: string; readonly title: string }
  | { readonly kind: 'deleted'; readonly promptId: string }
  | { readonly kind: 'delta'; readonly delta: ResponseDelta }
  | { readonly kind: 'gate'; readonly gate: SseData<'provider.gate'> }
  | { readonly kind: 'queue'; readonly queue: SseData<'queue.changed'> }

/** A prompt came to be, or its state changed: for announcements and notices. */
export interface Transition {
  readonly before: PromptView | undefined
  readonly after: PromptView
}

/**
 * All that the page knows of the server, and the only owner of it. Changes go in by `apply`, in any order and any
 * number of times; listeners are told once per call.
 */
export interface ServerState {
  readonly layout: LayoutIndex
  readonly states: PromptStates
  readonly live: LiveTexts
  readonly queue: QueueFacts
  view(promptId: string): PromptView | undefined
  /** Whether the server said that it was deleted. */
  isDeleted(promptId: string): boolean
  apply(changes: readonly Change[]): void
  /** A whole prompt was read: its view, its text, the draft so far. */
  applyDetail(detail: PromptDetail): void
  /** First reading, or a later one to catch up by. */
  merge(field: FieldResponse): void
  /** The feed cannot go on from where it was: forgets every row but those in `keep`, then takes the field as it is. */
  restart(field: FieldResponse, keep: ReadonlySet<string>): void
  /** The prompt is no more, or never came to be. */
  remove(promptId: string): void
  onTransition(listener: (transition: Transition) => void): () => void
}

export interface ServerStateDeps {
  queryClient: QueryClient
  /** Text of this prompt was missed: somebody has to read it whole. */
  onMissedText: (promptId: string) => void
}

export function createServerState({ queryClient, onMissedText }: ServerStateDeps): ServerState {
  const layout = createLayoutIndex()
  const states = createPromptStates()
  const live = createLiveTexts()
  const queue = createQueueFacts()
  const seenJobs = new Map<string, readonly string[]>()
  const deleted = new Set<string>()
  const transitionListeners = new Set<(transition: Transition) => void>()
  let transitions: Transition[] = []

  const view = (promptId: string) => queryClient.getQueryData<PromptView>(queryKeys.prompt(promptId))

  function applyTo(promptId: string, change: PromptChange, isDetailFresh = false) {
    const known: KnownPrompt = {
      view: view(promptId),
      live: live.get(promptId),
      seenJobs: seenJobs.get(promptId) ?? [],
      isDeleted: deleted.has(promptId),
    }
    const writes = applyChange(known, change)
    if (writes.deleted) return erase(promptId)
    if (writes.seenJobs !== undefined) seenJobs.set(promptId, writes.seenJobs)
    if (writes.live !== undefined) live.set(promptId, writes.live)
    if (writes.view !== undefined) write(known.view, writes.view, isDetailFresh)
    if (writes.refetch) onMissedText(promptId)
  }

  function write(before: PromptView | undefined, after: PromptView, isDetailFresh: boolean) {
    queryClient.setQueryData(queryKeys.prompt(after.prompt_id), after)
    states.put(after)
    place(layout, after)
    // What is only on its way has nothing on the server to be read.
    if (before?.revision !== after.revision && after.revision >= 0 && !isDetailFresh) {
      void queryClient.invalidateQueries({ queryKey: queryKeys.detail(after.prompt_id), exact: true })
    }
    const isSameJob = before?.job_id === after.job_id || before?.revision === -1
    if (before?.state !== after.state || !isSameJob) transitions.push({ before, after })
  }

  function erase(promptId: string) {
    deleted.add(promptId)
    take(promptId)
    queryClient.removeQueries({ queryKey: queryKeys.detail(promptId), exact: true })
  }

  function take(promptId: string) {
    forget(promptId)
    layout.remove(promptId)
    states.remove(promptId)
  }

  function retitle(threadId: string, title: string) {
    layout.setThread({ id: threadId, title })
    for (const promptId of layout.idsOfThread(threadId)) applyTo(promptId, { kind: 'titled', title })
  }

  function applyOne(change: Change) {
    switch (change.kind) {
      case 'view':
        return applyTo(change.view.prompt_id, change)
      case 'seen':
      case 'deleted':
        return applyTo(change.promptId, change)
      case 'delta':
        return applyTo(change.delta.prompt_id, change)
      case 'titled':
        return retitle(change.threadId, change.title)
      case 'gate':
        return queue.setGate(change.gate)
      case 'queue':
        return queue.setQueue(change.queue)
      default:
        return unreachable(change)
    }
  }

  /** Runs `work`, then tells everybody once. */
  function batched(work: () => void) {
    notifyManager.batch(() => {
      work()
      layout.flush()
      states.flush()
    })
    const told = transitions
    transitions = []
    for (const transition of told) for (const listener of [...transitionListeners]) listener(transition)
  }

  function forget(promptId: string) {
    // Resetting, not removing: who watches the query is told.
    queryClient
      .getQueryCache()
      .find({ queryKey: queryKeys.prompt(promptId) })
      ?.reset()
    live.set(promptId, null)
    seenJobs.delete(promptId)
  }

  return {
    layout,
    states,
    live,
    queue,
    view,
    isDeleted: (promptId) => deleted.has(promptId),
    apply: (changes) => batched(() => changes.forEach(applyOne)),
    applyDetail({ view: joined, draft }) {
      const read = rowView(joined)
      batched(() => {
        applyTo(read.prompt_id, { kind: 'view', view: read }, true)
        if (draft !== null) applyTo(read.prompt_id, { kind: 'draft', draft })
        const known = live.get(read.prompt_id)
        const left = afterReading(known)
        if (left !== undefined && left !== known) live.set(read.prompt_id, left)
      })
    },
    merge: (field) =>
      batched(() => {
        layout.merge(field)
        states.merge(field)
        // It may have been read before they were deleted.
        for (const promptId of deleted) take(promptId)
      }),
    restart: (field, keep) =>
      batched(() => {
        // What is deleted since the field was read is told again from there on.
        deleted.clear()
        for (const query of queryClient.getQueryCache().findAll({ queryKey: ['prompt'] })) {
          const promptId = query.queryKey[1]
          if (typeof promptId === 'string' && !keep.has(promptId)) forget(promptId)
        }
        layout.restart(field, keep)
        states.restart(field, keep)
        void queryClient.invalidateQueries({ queryKey: ['detail'] })
        void queryClient.invalidateQueries({ queryKey: ['thread'] })
      }),
    remove: (promptId) => batched(() => take(promptId)),
    onTransition(listener) {
      transitionListeners.add(listener)
      return () => transitionListeners.delete(listener)
    },
  }
}

function place(layout: LayoutIndex, view: PromptView) {
  const isProvisional = view.revision < 0
  const createdAt = isProvisional ? Number.POSITIVE_INFINITY : Date.parse(view.created_at)
  const isFirst = view.parent_id === null && !isProvisional
  layout.setThread({
    id: view.correlation_id,
    title: view.thread_title,
    // The server gives a new thread the time of its first prompt as its place; one that was moved keeps its own.
    ...(isFirst && !isOrdered(layout, view.correlation_id) ? { order: createdAt } : {}),
  })
  layout.place({ id: view.prompt_id, threadId: view.correlation_id, parentId: view.parent_id, createdAt })
}

function isOrdered(layout: LayoutIndex, threadId: string): boolean {
  return Number.isFinite(layout.thread(threadId)?.order ?? Number.POSITIVE_INFINITY)
}

function unreachable(change: never): never {
  throw new Error(`a change of a kind that nothing applies: ${JSON.stringify(change)}`)
}
