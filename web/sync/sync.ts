import type { QueryClient } from '@tanstack/react-query'
import { fieldFlags, type SessionResponse } from '../../shared/observe.ts'
import { type ApiClient, createApiClient } from './api-client.ts'
import { browserClock, type PageClock } from './clock.ts'
import { createFeed, type Feed } from './feed.ts'
import { createJobActions, type JobActions } from './job-actions.ts'
import { createDrafts, type Drafts } from './outbox/drafts.ts'
import { openKeptStore } from './outbox/indexed-db-store.ts'
import { createDeferredStore, type KeptStore } from './outbox/kept-store.ts'
import { mintId } from './outbox/mint-id.ts'
import { createOutbox, type Outbox } from './outbox/outbox.ts'
import { createQueryClient } from './query-client.ts'
import { queryKeys } from './query-keys.ts'
import { inFlight } from './rows/in-flight.ts'
import { createMissedText } from './rows/missed-text.ts'
import { createServerState, type ServerState } from './rows/server-state.ts'
import { createViewRequests } from './rows/view-requests.ts'
import { createSeenMarks, type SeenMarks } from './seen-marks.ts'
import type { OpenEventSource } from './stream/event-stream.ts'
import { createShownPrompts, type ShownPrompts } from './stream/shown-prompts.ts'
import { bindWakeUps } from './stream/wake-ups.ts'
import { hideEntry, type PromptInput, type Submitted, showEntry, submitPrompt } from './submit-prompt.ts'

/** Everything the page has to do with the server: one of these per tab. */
export interface Sync {
  readonly api: ApiClient
  readonly queryClient: QueryClient
  readonly state: ServerState
  readonly feed: Feed
  readonly outbox: Outbox
  readonly drafts: Drafts
  readonly actions: JobActions
  readonly seen: SeenMarks
  readonly shown: ShownPrompts
  submit(input: PromptInput): Submitted
  /** Reads what is missing of these prompts, which are on screen. What is watched is read again after a resync. */
  requestViews(promptIds: readonly string[]): void
  start(): void
  /** Ends every timer, request and connection. */
  stop(): void
}

export interface SyncDeps {
  fetch: typeof fetch
  openEventSource: OpenEventSource
  clock: PageClock
  random: () => number
  mintId: () => string
  store: KeptStore
  localStorage: Storage | undefined
  /** Where waking, hiding and `online` are heard; undefined outside a browser. */
  window: Window | undefined
}

const personKey = 'mission_person'

/** What a real page has. */
export function browserDeps(): SyncDeps {
  return {
    fetch: (...request) => window.fetch(...request),
    openEventSource: (url) => new EventSource(url),
    clock: browserClock,
    random: Math.random,
    mintId,
    store: createDeferredStore(openKeptStore()),
    localStorage: storageOf(window),
    window,
  }
}

export function createSync(deps: SyncDeps): Sync {
  const { clock, random } = deps
  const queryClient = createQueryClient()
  const api = createApiClient({ fetch: deps.fetch, clock, onSignedOut: () => feed.signedOut() })
  const missedText = createMissedText({
    api,
    clock,
    state: () => state,
    reopenStream: () => feed.reopen(),
  })
  const state = createServerState({ queryClient, onMissedText: missedText.read })
  const outbox = createOutbox({
    store: deps.store,
    api,
    clock,
    random,
    onAdded: (entry) => showEntry(state, queryClient, entry),
    onDropped: (entry) => hideEntry(state, queryClient, entry),
    onParentGone: (promptId) => actions.noteDeleted([promptId]),
    onAccepted: ({ view }) => state.apply([{ kind: 'view', view }]),
  })
  const actions = createJobActions({ api, state, outbox })
  const isPending = (promptId: string) => outbox.entry(promptId) !== undefined
  const views = createViewRequests({ api, clock, state, isPending })
  const shown = createShownPrompts({ api, clock })
  const seen = createSeenMarks({ api, clock, state })
  const drafts = createDrafts({ store: deps.store, clock, lastResort: deps.localStorage })

  const personId = () =>
    queryClient.getQueryData<SessionResponse>(queryKeys.session)?.person.id ?? rememberedPerson(deps)

  const feed: Feed = createFeed({
    api,
    clock,
    random,
    openEventSource: deps.openEventSource,
    apply: state.apply,
    inFlight: () => {
      const { now, nextAtMs } = inFlight(viewsThatMayMove(state), clock.now())
      return { now: now || outbox.ids().size > 0, nextAtMs }
    },
    async load(session, signal) {
      queryClient.setQueryData(queryKeys.session, session)
      rememberPerson(deps, session.person.id)
      await outbox.openFor(session.person.id)
      const field = await api.readField(signal)
      signal.throwIfAborted()
      state.restart(field, outbox.ids())
      views.want([...watchedPrompts(queryClient), ...state.states.active()])
      return field.cursor
    },
    onLive(streamId) {
      // It tells next which gates are closed; those that it does not name are open.
      state.queue.openAll()
      shown.streamIs(streamId)
    },
    onStreamEnd() {
      state.live.streamEnded()
      state.queue.forgetLimit()
    },
    onPolled() {
      // Text of what runs comes by the stream alone; without it, what is open is read anew.
      void queryClient.refetchQueries({
        queryKey: ['detail'],
        type: 'active',
        predicate: ({ queryKey }) => state.view(String(queryKey[1]))?.state === 'running',
      })
    },
  })

  function catchUp() {
    outbox.sendAll()
    seen.sendAgain()
    views.askAgain()
  }

  const unbind: (() => void)[] = []
  let wasReached = false

  return {
    api,
    queryClient,
    state,
    feed,
    outbox,
    drafts,
    seen,
    shown,
    actions,
    submit: (input) => submitPrompt({ state, outbox, drafts, clock, mintId: deps.mintId, personId }, input),
    requestViews: views.want,
    start() {
      unbind.push(state.states.subscribe(feed.reconsider), outbox.subscribe(feed.reconsider))
      unbind.push(
        feed.subscribe(() => {
          const { mode } = feed.status()
          const isReached = mode === 'live' || mode === 'polling'
          if (isReached && !wasReached) catchUp()
          wasReached = isReached
        }),
      )
      if (deps.window) {
        const onWake = () => {
          feed.wake()
          catchUp()
        }
        unbind.push(bindWakeUps(deps.window, { onWake, onHide: drafts.flush }))
      }
      void outbox.openFor(personId())
      feed.start()
    },
    stop() {
      drafts.flush()
      for (const undo of unbind.splice(0)) undo()
      for (const part of [feed, outbox, views, shown, seen, missedText]) part.stop()
    },
  }
}

/** Prompts that something on the page shows. */
function watchedPrompts(queryClient: QueryClient): string[] {
  return queryClient
    .getQueryCache()
    .findAll({ queryKey: ['prompt'] })
    .filter((query) => query.getObserversCount() > 0 && query.queryKey[1] !== '')
    .map((query) => String(query.queryKey[1]))
}

function* viewsThatMayMove(state: ServerState) {
  for (const promptId of state.states.active()) {
    const view = state.view(promptId)
    const isHeld = ((state.states.get(promptId)?.flags ?? 0) & fieldFlags.held) !== 0
    if (view !== undefined || !isHeld) yield view
  }
}

/** Who wrote what is kept here, until the server says who is signed in. */
function rememberedPerson({ localStorage }: SyncDeps): string | null {
  try {
    return localStorage?.getItem(personKey) ?? null
  } catch {
    return null
  }
}

function rememberPerson({ localStorage }: SyncDeps, personId: string): void {
  try {
    localStorage?.setItem(personKey, personId)
  } catch {
    // A browser that keeps nothing keeps no outbox either.
  }
}

/** Merely naming `localStorage` throws where it is forbidden. */
function storageOf(page: Window): Storage | undefined {
  try {
    return page.localStorage
  } catch {
    return undefined
  }
}
