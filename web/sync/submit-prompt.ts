import type { QueryClient } from '@tanstack/react-query'
import type { PromptDetail } from '../../shared/observe.ts'
import type { SubmitOptions, SubmitRequest } from '../../shared/submit.ts'
import type { PageClock } from './clock.ts'
import type { Drafts } from './outbox/drafts.ts'
import type { OutboxEntry } from './outbox/kept-store.ts'
import { openingWords, optimisticView } from './outbox/optimistic-view.ts'
import type { Outbox } from './outbox/outbox.ts'
import { queryKeys } from './query-keys.ts'
import type { ServerState } from './rows/server-state.ts'

/** What compose hands over. `parentId` continues that prompt, `rootId` its thread from the newest leaf; not both. */
export interface PromptInput {
  readonly text: string
  readonly parentId?: string | undefined
  readonly rootId?: string | undefined
  readonly options?: SubmitOptions | undefined
  /** Which box it was written in: `newThreadDraftKey`, or a thread's id. */
  readonly draftKey: string
}

export interface Submitted {
  readonly promptId: string
  /** True once the text is safe and the box may be cleared; false if it was refused first, so that the box keeps it. */
  readonly kept: Promise<boolean>
}

export interface SubmitPromptDeps {
  state: ServerState
  outbox: Outbox
  drafts: Drafts
  clock: PageClock
  mintId: () => string
  personId: () => string | null
}

/**
 * Submits a prompt: its drop stands on the field when this returns. The prompt's id is made here and is what makes
 * sending it twice harmless. The same text from the same box after a refusal goes under the same id again.
 */
export function submitPrompt(deps: SubmitPromptDeps, input: PromptInput): Submitted {
  const { state, outbox, drafts } = deps
  const refusal = outbox.refusal(input.draftKey)
  const isSentAgain =
    refusal !== undefined && refusal.text === input.text && refusal.error.code !== 'prompt_conflict'
  const promptId = isSentAgain ? refusal.promptId : deps.mintId()
  const request: SubmitRequest = {
    prompt_id: promptId,
    text: input.text,
    ...(input.parentId === undefined ? {} : { parent_id: input.parentId }),
    ...(input.rootId === undefined ? {} : { root_entity_id: input.rootId }),
    ...(input.options === undefined ? {} : { options: input.options }),
  }
  const before = input.parentId ?? input.rootId
  const threadId = before === undefined ? promptId : threadOf(state, before)
  const entry: OutboxEntry = {
    prompt_id: promptId,
    request,
    parent_id: input.parentId ?? (input.rootId ? (state.layout.idsOfThread(threadId).at(-1) ?? null) : null),
    thread_id: threadId,
    thread_title: state.layout.thread(threadId)?.title ?? openingWords(request),
    draft_key: input.draftKey,
    person_id: deps.personId(),
    created_at: deps.clock.now(),
  }
  const draftTexts = [...drafts.take(input.draftKey), input.text]
  return { promptId, kept: outbox.add(entry, draftTexts) }
}

/** Puts the drop of an entry on the field, and its text where a thread will look for it. */
export function showEntry(state: ServerState, queryClient: QueryClient, entry: OutboxEntry): void {
  const view = optimisticView(entry)
  const detail: PromptDetail = { view, text: entry.request.text, answer: null, draft: null, partial: null }
  if (state.view(entry.prompt_id) === undefined) {
    queryClient.setQueryData(queryKeys.detail(entry.prompt_id), detail)
  }
  state.apply([{ kind: 'view', view }])
}

/** Takes the drop away again, unless the server has the prompt after all. */
export function hideEntry(state: ServerState, queryClient: QueryClient, entry: OutboxEntry): void {
  const view = state.view(entry.prompt_id)
  if (view !== undefined && view.revision >= 0) return
  state.remove(entry.prompt_id)
  queryClient.removeQueries({ queryKey: queryKeys.detail(entry.prompt_id), exact: true })
}

function threadOf(state: ServerState, promptId: string): string {
  return state.layout.placing(promptId)?.threadId ?? state.view(promptId)?.correlation_id ?? promptId
}
