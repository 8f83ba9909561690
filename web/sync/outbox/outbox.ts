import type { SubmitResponse } from '../../../shared/submit.ts'
import type { ApiClient } from '../api-client.ts'
import { ApiProblem, errorSentence, isDefiniteRefusal, SignedOut } from '../api-error.ts'
import type { PageClock } from '../clock.ts'
import { createListeners } from '../listeners.ts'
import { createBackoff } from '../stream/backoff.ts'
import { newThreadDraftKey } from './drafts.ts'
import type { KeptStore, OutboxEntry } from './kept-store.ts'

/** `sending` looks like waiting; `unsent` says that the server has not answered for a while. */
export type SendState = 'sending' | 'unsent'

/** A prompt that the server will not have. Its text is back in its box, or stands here if the box is in use. */
export interface Refusal {
  readonly promptId: string
  readonly draftKey: string
  readonly text: string
  /** Says what is wrong, for people. */
  readonly sentence: string
  readonly error: ApiProblem
}

/** How long a prompt may look like any other before it says that it is not sent. */
export const unsentAfterMs = 2_000

/**
 * Prompts on their way. Each is written down beside its first sending, is sent again under the same id until the
 * server has answered, and leaves by an acceptance or by a definite refusal, never by a lack of answer. One that
 * continues another of them waits for it.
 */
export interface Outbox {
  /** Shows and sends what is kept of this person; what belongs to somebody else stays where it is. */
  openFor(personId: string | null): Promise<void>
  /** @returns when the box may be cleared (true): kept or accepted; false if it was refused before that */
  add(entry: OutboxEntry, draftTexts: readonly string[]): Promise<boolean>
  /** Sends everything now: the network or the server may be back, or the person asks for it. */
  sendAll(): void
  /** Gives up on one. Whether it arrived is the server's to say. */
  withdraw(promptId: string): Promise<void>
  ids(): ReadonlySet<string>
  entry(promptId: string): OutboxEntry | undefined
  sendState(promptId: string): SendState | undefined
  refusal(draftKey: string): Refusal | undefined
  dismissRefusal(draftKey: string): void
  subscribe(listener: () => void): () => void
  stop(): void
}

export interface OutboxDeps {
  store: KeptStore
  api: Pick<ApiClient, 'submitPrompt'>
  clock: PageClock
  random: () => number
  /** Put the entry's drop on the field. */
  onAdded: (entry: OutboxEntry) => void
  onAccepted: (answer: SubmitResponse) => void
  /** Take the entry's drop away. */
  onDropped: (entry: OutboxEntry) => void
  /** The server says that the prompt to continue was deleted. */
  onParentGone: (promptId: string) => void
}

interface Pending {
  readonly entry: OutboxEntry
  state: SendState
  sending: AbortController | undefined
  disarm: () => void
  /** Settles what `add` returned. */
  settle: (isSafe: boolean) => void
}

export function createOutbox(deps: OutboxDeps): Outbox {
  const { store, clock } = deps
  const pending = new Map<string, Pending>()
  const refusals = new Map<string, Refusal>()
  const listeners = createListeners()
  const backoff = createBackoff(deps.random)
  let person: string | null = null
  let isStopped = false
  let disarmRetry: (() => void) | undefined

  function enter(entry: OutboxEntry, settle: (isSafe: boolean) => void): Pending {
    const leftMs = entry.created_at + unsentAfterMs - clock.now()
    const item: Pending = {
      entry,
      state: leftMs > 0 ? 'sending' : 'unsent',
      sending: undefined,
      settle,
      disarm: clock.after(Math.max(0, leftMs), () => {
        item.state = 'unsent'
        listeners.tell()
      }),
    }
    pending.set(entry.prompt_id, item)
    deps.onAdded(entry)
    return item
  }

  function leave({ entry, disarm, sending }: Pending) {
    disarm()
    pending.delete(entry.prompt_id)
    sending?.abort(new Error('no longer wanted'))
  }

  async function send(item: Pending) {
    const { entry } = item
    if (isStopped || item.sending !== undefined) return
    if (entry.parent_id !== null && pending.has(entry.parent_id)) return
    const aborter = new AbortController()
    item.sending = aborter
    try {
      const answer = await deps.api.submitPrompt(entry.request, aborter.signal)
      if (pending.get(entry.prompt_id) !== item) return
      item.sending = undefined
      backoff.reset()
      leave(item)
      deps.onAccepted(answer)
      item.settle(true)
      void store.removeEntry(entry.prompt_id).catch(() => undefined)
    } catch (error) {
      if (pending.get(entry.prompt_id) !== item) return
      item.sending = undefined
      if (!isDefiniteRefusal(error)) return failed(error)
      refuse(item, error)
    }
    listeners.tell()
    // What continues this one may go now; if this one was refused, that one will be too, and say so.
    sendAll()
  }

  function failed(error: unknown) {
    // Signed out, nothing helps but signing in, after which everything is sent anew.
    if (isStopped || error instanceof SignedOut) return
    const askedMs = error instanceof ApiProblem ? (error.retryAfterMs ?? 0) : 0
    disarmRetry ??= clock.after(Math.max(backoff.next(), askedMs), sendAll)
  }

  function refuse(item: Pending, error: ApiProblem) {
    const { entry } = item
    leave(item)
    deps.onDropped(entry)
    item.settle(false)
    const { text } = entry.request
    const isParentGone = error.code === 'gone' && entry.parent_id !== null
    // The box of a thread that is no more is never opened again.
    const draftKey = isParentGone ? newThreadDraftKey : entry.draft_key
    const draft = { key: draftKey, text, saved_at: clock.now() }
    refusals.set(draftKey, {
      promptId: entry.prompt_id,
      draftKey,
      text,
      sentence: errorSentence(error),
      error,
    })
    void store.giveBack(entry.prompt_id, draft).catch(() => undefined)
    if (isParentGone && entry.parent_id !== null) deps.onParentGone(entry.parent_id)
  }

  function sendAll() {
    disarmRetry?.()
    disarmRetry = undefined
    for (const item of [...pending.values()]) void send(item)
  }

  return {
    async openFor(personId) {
      person = personId
      for (const item of [...pending.values()]) {
        if (item.entry.person_id === null || item.entry.person_id === person) continue
        leave(item)
        deps.onDropped(item.entry)
      }
      const entries = await store.entries().catch(() => [])
      if (isStopped || person !== personId) return
      for (const entry of entries) {
        const isMine = entry.person_id === null || entry.person_id === person
        if (isMine && !pending.has(entry.prompt_id)) enter(entry, () => undefined)
      }
      listeners.tell()
      sendAll()
    },
    add(entry, draftTexts) {
      return new Promise((settle) => {
        const item = enter(entry, settle)
        refusals.delete(entry.draft_key)
        listeners.tell()
        void send(item)
        store
          .putEntry(entry, draftTexts)
          .then(() => {
            if (store.isDurable) settle(true)
            // It was faster than the writing: what was written is of no use any more.
            if (!pending.has(entry.prompt_id)) void store.removeEntry(entry.prompt_id)
          })
          .catch(() => undefined)
      })
    },
    sendAll,
    async withdraw(promptId) {
      const item = pending.get(promptId)
      if (item === undefined) return
      leave(item)
      deps.onDropped(item.entry)
      item.settle(true)
      listeners.tell()
      await store.removeEntry(promptId).catch(() => undefined)
    },
    ids: () => new Set(pending.keys()),
    entry: (promptId) => pending.get(promptId)?.entry,
    sendState: (promptId) => pending.get(promptId)?.state,
    refusal: (draftKey) => refusals.get(draftKey),
    dismissRefusal(draftKey) {
      if (refusals.delete(draftKey)) listeners.tell()
    },
    subscribe: listeners.subscribe,
    stop() {
      isStopped = true
      disarmRetry?.()
      for (const item of pending.values()) {
        item.disarm()
        item.sending?.abort(new Error('the page is done'))
      }
    },
  }
}
