import { skipToken, useMutation, useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import { joinWaitReason } from '../../shared/join-wait-reason.ts'
import type { ModelsResponse, PromptDetail, SessionResponse } from '../../shared/observe.ts'
import type { PromptView } from '../../shared/prompt-view.ts'
import type { WaitReason } from '../../shared/wait-reason.ts'
import { errorSentence } from './api-error.ts'
import type { FeedStatus } from './feed-status.ts'
import type { LayoutSnapshot } from './layout-index.ts'
import type { Refusal, SendState } from './outbox/outbox.ts'
import { queryKeys } from './query-keys.ts'
import type { LiveText } from './rows/live-text.ts'
import type { PromptCounts, PromptStates } from './rows/prompt-states.ts'
import type { Transition } from './rows/server-state.ts'
import type { PromptInput, Submitted } from './submit-prompt.ts'
import { useSync } from './sync-context.tsx'

/** The prompt as the server has it, or as it was just submitted; undefined until its view was read (`useRequestViews`). */
export function usePromptView(promptId: string | null): PromptView | undefined {
  return useQuery<PromptView>({ queryKey: queryKeys.prompt(promptId ?? ''), queryFn: skipToken }).data
}

/** Where every prompt belongs; a new object only when one came, went or got its place. */
export function useLayout(): LayoutSnapshot {
  const { layout } = useSync().state
  return useSyncExternalStore(layout.subscribe, layout.snapshot)
}

/** All prompts, by creation. */
export function usePromptIds(): readonly string[] {
  return useLayout().ids
}

/** State and flags of every prompt, for who draws them all: renders again with every change of any of them. */
export function usePromptStates(): PromptStates {
  const { states } = useSync().state
  useSyncExternalStore(states.subscribe, states.version)
  return states
}

export function useThreadTitle(threadId: string | null): string | undefined {
  const { layout } = useSync().state
  return useSyncExternalStore(layout.subscribeTitles, () =>
    threadId === null ? undefined : layout.thread(threadId)?.title,
  )
}

/** Reads the views of prompts that are on screen, a few requests for all of them. */
export function useRequestViews(promptIds: readonly string[]): void {
  const sync = useSync()
  useEffect(() => sync.requestViews(promptIds), [sync, promptIds])
}

/** Asks the stream for the text of these prompts while it is written; `part` names who shows them. */
export function useShown(part: string, promptIds: readonly string[]): void {
  const { shown } = useSync()
  useEffect(() => shown.set(part, promptIds), [shown, part, promptIds])
  useEffect(() => () => shown.set(part, []), [shown, part])
}

/**
 * What a running attempt has written so far, `text` empty where it was not asked for (`useShown`). Once it is over it
 * stays until the prompt was read whole, so that nothing flickers in between.
 */
export function useLiveText(promptId: string): Pick<LiveText, 'text' | 'tokens' | 'isOver'> | undefined {
  const { live } = useSync().state
  const subscribe = useCallback(
    (listener: () => void) => live.subscribe(promptId, listener),
    [live, promptId],
  )
  const known = useSyncExternalStore(subscribe, () => live.get(promptId))
  const view = usePromptView(promptId)
  if (known === undefined || view?.job_id !== known.jobId) return undefined
  const isShown = known.isOver ? known.text !== '' : view.state === 'running'
  return isShown ? known : undefined
}

/** Why a prompt waits, with what gates and limits know beside its row. Null when it does not wait. */
export function useWaitReason(view: PromptView | undefined, nowMs: number): WaitReason | null {
  const { queue } = useSync().state
  const queueState = useSyncExternalStore(queue.subscribe, queue.get)
  const session = useSession()
  if (view === undefined) return null
  // One that is still on its way goes to the default, unless it was told otherwise.
  const provider = view.provider ?? session?.provider.id
  const closedUntil = provider === undefined ? undefined : queueState.closedUntil.get(provider)
  return joinWaitReason(view, { provider, closedUntil, orgLimit: queueState.orgLimit }, nowMs)
}

export function useFeedStatus(): FeedStatus {
  const { feed } = useSync()
  return useSyncExternalStore(feed.subscribe, feed.status)
}

/** Counts of the server's rows, alike in every tab and after a reload, and what this browser has not got through yet. */
export function useCounts(): PromptCounts & { unsent: number } {
  const { state, outbox } = useSync()
  const counts = useSyncExternalStore(state.states.subscribe, state.states.counts)
  const unsent = useSyncExternalStore(outbox.subscribe, () => outbox.ids().size)
  return { ...counts, unsent }
}

/** Calls `listener` for every prompt that came or changed its state; keep its identity stable. */
export function useTransitions(listener: (transition: Transition) => void): void {
  const { state } = useSync()
  useEffect(() => state.onTransition(listener), [state, listener])
}

export interface PromptReading {
  readonly detail: PromptDetail | undefined
  readonly isLoading: boolean
  /** For people; null while all is well. */
  readonly error: string | null
  readonly readAgain: () => void
}

/** One prompt whole: read when it is opened, and again whenever its row changed. */
export function usePromptDetail(promptId: string | null): PromptReading {
  const { api, state } = useSync()
  const query = useQuery<PromptDetail>({
    queryKey: queryKeys.detail(promptId ?? ''),
    queryFn:
      promptId === null
        ? skipToken
        : async ({ signal }) => {
            const detail = await api.readPrompt(promptId, signal)
            state.applyDetail(detail)
            return detail
          },
  })
  return {
    detail: query.data,
    isLoading: query.isFetching && query.data === undefined,
    error: query.error === null ? null : errorSentence(query.error),
    readAgain: () => void query.refetch(),
  }
}

/** Whether the server said that a prompt was deleted, here or elsewhere. */
export function useIsDeleted(promptId: string): boolean {
  const { state } = useSync()
  return useSyncExternalStore(state.layout.subscribe, () => state.isDeleted(promptId))
}

/** Who is signed in, to what; undefined until the server said so. */
export function useSession(): SessionResponse | undefined {
  return useQuery<SessionResponse>({ queryKey: queryKeys.session, queryFn: skipToken }).data
}

export function useModels(): ModelsResponse | undefined {
  const { api } = useSync()
  return useQuery({ queryKey: queryKeys.models, queryFn: ({ signal }) => api.readModels(signal) }).data
}

/** Submits; the drop stands on the field when the call returns. Clear the box once `kept` says true. */
export function useSubmit(): (input: PromptInput) => Submitted {
  return useSync().submit
}

/** How far a prompt is on its way; undefined once the server has it. `unsent` is to be drawn as `is-unsent`. */
export function useSendState(promptId: string): SendState | undefined {
  const { outbox, state } = useSync()
  const sendState = useSyncExternalStore(outbox.subscribe, () => outbox.sendState(promptId))
  const revision = useSyncExternalStore(state.states.subscribe, () => state.states.get(promptId)?.revision)
  return (revision ?? -1) >= 0 ? undefined : sendState
}

/** Sends everything that is unsent once more, under the ids it has. */
export function useSendAgain(): () => void {
  return useSync().outbox.sendAll
}

/** A submit from this box that the server refused: its text is in the draft again, or here if the box is in use. */
export function useRefusal(draftKey: string): { refusal: Refusal | undefined; dismiss: () => void } {
  const { outbox } = useSync()
  const refusal = useSyncExternalStore(outbox.subscribe, () => outbox.refusal(draftKey))
  const dismiss = useCallback(() => outbox.dismissRefusal(draftKey), [outbox, draftKey])
  return { refusal, dismiss }
}

/** The draft of a box: `text` is what it opens with, undefined until it was read. Tell `note` of every change. */
export function useDraft(draftKey: string): { text: string | undefined; note: (text: string) => void } {
  const { drafts } = useSync()
  const [read, setRead] = useState<{ key: string; text: string }>()
  useEffect(() => {
    let isWanted = true
    void drafts.read(draftKey).then((text) => {
      if (isWanted) setRead({ key: draftKey, text })
    })
    return () => {
      isWanted = false
    }
  }, [drafts, draftKey])
  const note = useCallback((text: string) => drafts.note(draftKey, text), [drafts, draftKey])
  return { text: read?.key === draftKey ? read.text : undefined, note }
}

export interface JobCall {
  readonly run: (promptId: string) => void
  readonly isBusy: boolean
  /** For people; null while all is well. */
  readonly error: string | null
}

export function useRetry(): JobCall {
  const { actions } = useSync()
  return useJobCall(actions.retry)
}

/** *Stop* and *Cancel* alike; gives up a prompt that was not sent yet. */
export function useCancel(): JobCall {
  const { actions } = useSync()
  return useJobCall(actions.cancel)
}

/** Marks answers as seen, here at once. */
export function useSeen(): (promptIds: Iterable<string>) => void {
  return useSync().seen.mark
}

function useJobCall(call: (promptId: string) => Promise<unknown>): JobCall {
  const { mutate, isPending, error } = useMutation<unknown, Error, string>({
    mutationFn: (promptId) => call(promptId),
    networkMode: 'always',
  })
  return {
    run: (promptId) => mutate(promptId),
    isBusy: isPending,
    error: error ? errorSentence(error) : null,
  }
}
