import { endpoints } from '../../shared/api.ts'
import { pollMs } from '../../shared/change.ts'
import { urlOf } from '../../shared/endpoint.ts'
import type { SessionResponse } from '../../shared/observe.ts'
import type { ApiClient } from './api-client.ts'
import { ApiProblem, SignedOut } from './api-error.ts'
import type { PageClock } from './clock.ts'
import { type FeedStatus, isSameStatus } from './feed-status.ts'
import { createListeners } from './listeners.ts'
import type { InFlight } from './rows/in-flight.ts'
import type { Change } from './rows/server-state.ts'
import { createBackoff } from './stream/backoff.ts'
import { changesOfEvent } from './stream/changes-of-event.ts'
import {
  type EventStream,
  type OpenEventSource,
  openEventStream,
  type StreamEvent,
} from './stream/event-stream.ts'

export interface FeedDeps {
  api: Pick<ApiClient, 'readSession' | 'readRecent'>
  clock: PageClock
  random: () => number
  openEventSource: OpenEventSource
  apply: (changes: readonly Change[]) => void
  /**
   * Reads the whole field anew and answers where the events go on from there. Called first of all, and whenever
   * the server can no longer say what happened since the cursor.
   */
  load: (session: SessionResponse, signal: AbortSignal) => Promise<string>
  inFlight: () => InFlight
  /** A stream is live and wants to hear what is shown. */
  onLive: (streamId: string) => void
  /** The stream is gone; what the next one tells of texts begins anew. */
  onStreamEnd: () => void
  /** The server answered a poll while there is no stream. */
  onPolled: () => void
}

/**
 * Keeps the rows true, by a stream while there is one, else by polling. At most one connection, ever.
 *
 * *Starting* asks for the session, reads the field, and connects. *Live* lasts from `hello` to the first error or two
 * missed beats; then the session is asked what happened, and until the next `hello` the page polls while something is
 * in flight, and tries to connect again with a growing delay. *Signed out* asks nothing until `wake`.
 */
export interface Feed {
  start(): void
  stop(): void
  status(): FeedStatus
  subscribe(listener: () => void): () => void
  /** The page woke, came into view, or heard that the network is back: ask at once. */
  wake(): void
  /** Something may have come into flight or gone out of it. */
  reconsider(): void
  /** Some other call met a 401. */
  signedOut(): void
  /** Gives up a live stream for a new one, which tells the texts from their beginning. */
  reopen(): void
}

const pageLimit = 200
/** Waking shows itself by several events in a row; a poll this young is still the answer to them. */
const wakeSpacingMs = 250
/** A server that asks for one resync after the other is not answered as fast as it asks. */
const resyncSpacingMs = 5_000

export function createFeed(deps: FeedDeps): Feed {
  const { clock } = deps
  const listeners = createListeners()
  const backoff = createBackoff(deps.random)
  let status: FeedStatus = { mode: 'starting', mustReload: false }
  let isStopped = true
  let cursor: string | null = null
  let identity: string | undefined
  let version: string | undefined
  let stream: EventStream | undefined
  let poll: { aborter: AbortController; startedAtMs: number } | undefined
  let asking: AbortController | undefined
  let armed: { atMs: number; disarm: () => void } | undefined
  let resyncedAtMs = Number.NEGATIVE_INFINITY
  let disarmRetry: (() => void) | undefined

  function show(mode: 'starting' | 'live' | 'signed-out' | 'polling' | 'offline') {
    const { mustReload } = status
    const next: FeedStatus =
      mode === 'polling'
        ? { mode, isAsking: deps.inFlight().now, mustReload }
        : mode === 'offline'
          ? { mode, sinceMs: status.mode === 'offline' ? status.sinceMs : clock.now(), mustReload }
          : { mode, mustReload }
    change(next)
  }

  function change(next: FeedStatus) {
    if (isSameStatus(status, next)) return
    status = next
    listeners.tell()
  }

  function endStream() {
    if (stream === undefined) return
    stream.close()
    stream = undefined
    deps.onStreamEnd()
  }

  function quiet() {
    endStream()
    poll?.aborter.abort(new Error('no longer wanted'))
    poll = undefined
    asking?.abort(new Error('no longer wanted'))
    asking = undefined
    disarmPoll()
    disarmRetry?.()
    disarmRetry = undefined
  }

  function failed(error: unknown) {
    if (error instanceof SignedOut) signedOut()
    else show('offline')
  }

  function signedOut() {
    if (isStopped) return
    quiet()
    show('signed-out')
  }

  /** Asks who and what answers; reads the field where that is needed; then goes on with stream and polls. */
  async function ask(mustLoad: boolean) {
    asking?.abort(new Error('asked anew'))
    const aborter = new AbortController()
    asking = aborter
    try {
      const session = await deps.api.readSession(aborter.signal)
      if (aborter.signal.aborted) return
      const isOther = noteSession(session)
      if (mustLoad || isOther || cursor === null) {
        cursor = null
        const next = await deps.load(session, aborter.signal)
        if (aborter.signal.aborted) return
        cursor = next
        connect()
      } else {
        const isBack = status.mode === 'signed-out'
        if (!stream?.isLive()) show('polling')
        if (isBack) connect()
        else armRetry()
      }
    } catch (error) {
      if (aborter.signal.aborted) return
      failed(error)
      if (status.mode !== 'signed-out') armRetry()
    } finally {
      if (asking === aborter) asking = undefined
    }
    // What happened between the stream's end and now is not to wait for a whole round; a new one brings it itself.
    armPoll(stream === undefined ? 0 : pollMs)
  }

  /** @returns whether somebody else is signed in, or the server has another past, than what the rows are of */
  function noteSession(session: SessionResponse): boolean {
    noteVersion(session.version)
    const next = `${session.org.id} ${session.person.id} ${session.epoch}`
    const isOther = identity !== undefined && identity !== next
    identity = next
    return isOther
  }

  function noteVersion(next: string) {
    version ??= next
    if (version !== next) change({ ...status, mustReload: true })
  }

  function connect() {
    if (cursor === null || stream !== undefined) return
    const url = urlOf(endpoints.followEvents, {}, { since: cursor })
    stream = openEventStream(url, {
      open: deps.openEventSource,
      clock,
      onEvent: receive,
      onUnreadable(next) {
        cursor = next ?? cursor
        change({ ...status, mustReload: true })
      },
      onLost() {
        endStream()
        void ask(false)
      },
    })
  }

  function receive(event: StreamEvent) {
    if (event.name === 'resync') return resync()
    // The position in `hello` is where the server stands, not how far it has told.
    if (event.name !== 'hello') cursor = event.cursor ?? cursor
    if (event.name === 'beat') cursor = event.data.cursor
    if (event.name === 'hello') {
      backoff.reset()
      noteVersion(event.data.version)
      disarmPoll()
      show('live')
      deps.onLive(event.data.stream_id)
    }
    const changes = changesOfEvent(event)
    if (changes.length > 0) deps.apply(changes)
  }

  function resync() {
    quiet()
    cursor = null
    const isRepeated = clock.now() - resyncedAtMs < resyncSpacingMs
    resyncedAtMs = clock.now()
    if (isRepeated) armRetry()
    else void ask(true)
  }

  function armRetry() {
    if (isStopped || stream !== undefined) return
    disarmRetry?.()
    disarmRetry = clock.after(backoff.next(), () => {
      disarmRetry = undefined
      if (cursor === null) void ask(true)
      else connect()
    })
  }

  function armPoll(delayMs: number) {
    if (isStopped || status.mode === 'signed-out' || cursor === null) return
    if (stream?.isLive() || poll !== undefined || asking !== undefined) return
    const { now, nextAtMs } = deps.inFlight()
    if (status.mode === 'polling') show('polling')
    if (!now && nextAtMs === null) return disarmPoll()
    const atMs = now ? clock.now() + delayMs : Math.max(clock.now() + delayMs, nextAtMs ?? 0)
    if (armed !== undefined && armed.atMs <= atMs && now) return
    disarmPoll()
    const disarm = clock.after(atMs - clock.now(), () => {
      armed = undefined
      void runPoll()
    })
    armed = { atMs, disarm }
  }

  function disarmPoll() {
    armed?.disarm()
    armed = undefined
  }

  /** Asks for what is new until there is no more. A stream that came alive meanwhile owns the cursor. */
  async function runPoll() {
    if (cursor === null) return
    const mine = { aborter: new AbortController(), startedAtMs: clock.now() }
    const { signal } = mine.aborter
    poll = mine
    try {
      for (let hasMore = true; hasMore; ) {
        const since: string = cursor
        const page = await deps.api.readRecent({ since, limit: pageLimit }, signal)
        if (signal.aborted) return
        if (page.resync) return resync()
        deps.apply(page.entities.map((view) => ({ kind: 'view', view })))
        // Moving back would only repeat what is known; a stream that moved on must not be held up by that.
        if (cursor === since && !stream?.isLive()) cursor = page.cursor
        hasMore = page.has_more && page.cursor !== since && cursor === page.cursor
      }
      if (!stream?.isLive()) {
        show('polling')
        deps.onPolled()
      }
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof ApiProblem && error.code === 'malformed_cursor') return resync()
      // A stream that is live knows better than one failed poll.
      if (error instanceof SignedOut || !stream?.isLive()) failed(error)
    } finally {
      if (poll === mine) poll = undefined
    }
    armPoll(pollMs)
  }

  function wake() {
    if (isStopped) return
    if (status.mode === 'signed-out') return void ask(false)
    if (cursor === null) {
      if (asking === undefined) void ask(true)
      return
    }
    if (stream?.isSilent()) endStream()
    // A stream that waits for its turn need not wait any longer: what made it fail may be over.
    if (stream === undefined) {
      disarmRetry?.()
      disarmRetry = undefined
      connect()
    }
    if (poll !== undefined && clock.now() - poll.startedAtMs < wakeSpacingMs) return
    // One that was under way before the machine slept may never be answered.
    poll?.aborter.abort(new Error('asked anew'))
    disarmPoll()
    void runPoll()
  }

  return {
    start() {
      if (!isStopped) return
      isStopped = false
      void ask(true)
    },
    stop() {
      isStopped = true
      quiet()
    },
    status: () => status,
    subscribe: listeners.subscribe,
    wake,
    reconsider: () => armPoll(pollMs),
    signedOut,
    reopen() {
      if (!stream?.isLive()) return
      endStream()
      connect()
    },
  }
}
