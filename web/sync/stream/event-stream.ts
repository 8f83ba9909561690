import * as z from 'zod/mini'
import { beatMs, helloTimeoutMs, type SseData, type SseEventName, sseEvents } from '../../../shared/change.ts'
import type { PageClock } from '../clock.ts'

/** The part of an EventSource that is used; a test brings its own. */
export interface EventSourceLike {
  addEventListener(name: string, listener: (event: { data?: unknown; lastEventId?: string }) => void): void
  close(): void
}

export type OpenEventSource = (url: string) => EventSourceLike

/** An event as it came: its name, its data parsed by the contract, and the cursor behind it if it moved on. */
export type StreamEvent = {
  [Name in SseEventName]: { name: Name; data: SseData<Name>; cursor: string | null }
}[SseEventName]

export interface EventStreamDeps {
  open: OpenEventSource
  clock: PageClock
  onEvent: (event: StreamEvent) => void
  /** An event that the contract does not know: this page may be older than the server. It is passed over. */
  onUnreadable: (cursor: string | null) => void
  /** Called once; the stream is closed by then, for good. */
  onLost: (why: 'error' | 'no-hello' | 'silent') => void
}

/** Two beats missed, and a little for the road. */
export const silenceMs = 2 * beatMs + 1_000

/**
 * One connection. It counts as live from `hello` on, not from `open`: a proxy's page and an error document open too.
 * On any error it is closed here, for the browser's own reconnecting has no backoff and hides the status.
 */
export interface EventStream {
  isLive(): boolean
  /** Whether it was silent for too long by the clock: timers do not run while the machine sleeps. */
  isSilent(): boolean
  close(): void
}

export function openEventStream(url: string, deps: EventStreamDeps): EventStream {
  const source = deps.open(url)
  let isLive = false
  let isClosed = false
  let heardAtMs = deps.clock.now()
  let disarm = deps.clock.after(helloTimeoutMs, () => lose('no-hello'))

  function close() {
    isClosed = true
    isLive = false
    disarm()
    source.close()
  }

  function lose(why: Parameters<EventStreamDeps['onLost']>[0]) {
    if (isClosed) return
    close()
    deps.onLost(why)
  }

  function heard() {
    heardAtMs = deps.clock.now()
    disarm()
    disarm = deps.clock.after(silenceMs, () => lose('silent'))
  }

  function receive(name: SseEventName, message: { data?: unknown; lastEventId?: string }) {
    if (isClosed || (!isLive && name !== 'hello')) return
    const cursor = message.lastEventId ? message.lastEventId : null
    const data = parsedData(name, message.data)
    if (data === undefined && name === 'hello') return lose('error')
    if (name === 'hello') isLive = true
    heard()
    if (data === undefined) deps.onUnreadable(cursor)
    else deps.onEvent(namedEvent(name, data, cursor))
  }

  for (const name of eventNames) source.addEventListener(name, (message) => receive(name, message))
  source.addEventListener('error', () => lose('error'))
  return {
    isLive: () => isLive,
    isSilent: () => deps.clock.now() - heardAtMs > silenceMs,
    close: () => {
      if (!isClosed) close()
    },
  }
}

/** The keys of `sseEvents`, which is what `SseEventName` is. */
const eventNames = Object.keys(sseEvents) as SseEventName[]

function parsedData(name: SseEventName, data: unknown): object | undefined {
  if (typeof data !== 'string') return undefined
  try {
    return z.safeParse(sseEvents[name], JSON.parse(data)).data
  } catch {
    return undefined
  }
}

/** `data` was accepted by the schema of this very name. */
function namedEvent(name: SseEventName, data: unknown, cursor: string | null): StreamEvent {
  return { name, data, cursor } as StreamEvent
}
