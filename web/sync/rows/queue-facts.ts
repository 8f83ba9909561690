import type { SseData } from '../../../shared/change.ts'
import { createListeners } from '../listeners.ts'

/** What no prompt's row knows: which providers are closed, and whether the organisation's places are taken. */
export interface QueueState {
  /** Provider → until when its gate is closed. */
  readonly closedUntil: ReadonlyMap<string, string>
  readonly orgLimit: boolean
}

export interface QueueFacts {
  get(): QueueState
  subscribe(listener: () => void): () => void
  setGate(gate: SseData<'provider.gate'>): void
  setQueue(queue: SseData<'queue.changed'>): void
  /** Which gates are closed will be told anew. */
  openAll(): void
  /** Nobody tells any more whether places are taken. */
  forgetLimit(): void
}

export function createQueueFacts(): QueueFacts {
  const listeners = createListeners()
  let state: QueueState = { closedUntil: new Map(), orgLimit: false }

  function setLimit(orgLimit: boolean) {
    if (orgLimit === state.orgLimit) return
    state = { ...state, orgLimit }
    listeners.tell()
  }

  return {
    get: () => state,
    subscribe: listeners.subscribe,
    setGate({ provider, closed_until }) {
      const closedUntil = new Map(state.closedUntil)
      if (closed_until === null) closedUntil.delete(provider)
      else closedUntil.set(provider, closed_until)
      state = { ...state, closedUntil }
      listeners.tell()
    },
    setQueue: ({ org_limit }) => setLimit(org_limit),
    openAll() {
      if (state.closedUntil.size === 0) return
      state = { ...state, closedUntil: new Map() }
      listeners.tell()
    },
    forgetLimit: () => setLimit(false),
  }
}
