import type { SseData } from '../../../shared/change.ts'
import type { PromptView } from '../../../shared/prompt-view.ts'
import type { WaitReason } from '../../../shared/wait-reason.ts'
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
}

export function createQueueFacts(): QueueFacts {
  const listeners = createListeners()
  let state: QueueState = { closedUntil: new Map(), orgLimit: false }
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
    setQueue({ org_limit }) {
      if (org_limit === state.orgLimit) return
      state = { ...state, orgLimit: org_limit }
      listeners.tell()
    },
  }
}

/**
 * Why a prompt really waits: its row says *in line*, gates and limits say why the line does not move.
 * `provider` is the one that is to serve it, where that is known.
 */
export function joinWaitReason(
  view: Pick<PromptView, 'state' | 'wait_reason'>,
  queue: QueueState,
  provider: string | undefined,
  nowMs: number,
): WaitReason | null {
  const reason = view.wait_reason
  if (view.state !== 'queued' || reason?.code !== 'in_line') return reason
  const until = provider === undefined ? undefined : queue.closedUntil.get(provider)
  if (provider !== undefined && until !== undefined && Date.parse(until) > nowMs) {
    return { code: 'rate_limit', provider, until }
  }
  return queue.orgLimit ? { code: 'org_limit' } : reason
}
