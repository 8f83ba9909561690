import type { SseData, SseEventName } from '../../../shared/change.ts'
import type { EventSourceLike, OpenEventSource } from '../stream/event-stream.ts'

export interface FakeEventSource extends EventSourceLike {
  readonly url: string
  isClosed(): boolean
  /** Delivers an event as the browser would. */
  send<Name extends SseEventName>(name: Name, data: SseData<Name>, cursor?: string): void
  sendRaw(name: string, data: string): void
  open(): void
  fail(): void
}

export interface FakeEventSources {
  readonly open: OpenEventSource
  /** Every one that was ever opened. */
  readonly all: FakeEventSource[]
  /** The newest. */
  last(): FakeEventSource
  /** How many are open at this moment. */
  openCount(): number
}

export function createFakeEventSources(): FakeEventSources {
  const all: FakeEventSource[] = []
  return {
    all,
    open(url) {
      const source = createFakeEventSource(url)
      all.push(source)
      return source
    },
    last() {
      const source = all.at(-1)
      if (source === undefined) throw new Error('no EventSource was opened')
      return source
    },
    openCount: () => all.filter((source) => !source.isClosed()).length,
  }
}

function createFakeEventSource(url: string): FakeEventSource {
  const listeners = new Map<string, ((event: { data?: unknown; lastEventId?: string }) => void)[]>()
  let isClosed = false
  let lastEventId = ''
  const deliver = (name: string, data?: string) => {
    if (isClosed) return
    for (const listener of listeners.get(name) ?? []) listener({ data, lastEventId })
  }
  return {
    url,
    isClosed: () => isClosed,
    addEventListener: (name, listener) => listeners.set(name, [...(listeners.get(name) ?? []), listener]),
    close() {
      isClosed = true
    },
    send(name, data, cursor) {
      lastEventId = cursor ?? lastEventId
      deliver(name, JSON.stringify(data))
    },
    sendRaw: deliver,
    open: () => deliver('open'),
    fail: () => deliver('error'),
  }
}
