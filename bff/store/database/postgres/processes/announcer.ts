import type { Signal } from '../../../../domain/signals.ts'
import { distinctSignals } from '../../signals.ts'

/**
 * Tells other processes what is committed already, many signals in one statement: NOTIFY takes a lock of the whole
 * cluster when it commits, which is no place for the transaction that somebody waits for. One statement is under way at
 * most; whatever is said meanwhile shares the next.
 */
export interface Announcer {
  /** Resolves once they were sent, and rejects when they could not be. */
  now(signals: readonly Signal[]): Promise<void>
  /** Within moments, together with what else comes up; nobody waits for it. */
  soon(signals: readonly Signal[]): void
  /** Resolves when everything was sent. */
  close(): Promise<void>
}

export interface AnnouncerParts {
  send: (signals: readonly Signal[]) => Promise<void>
  /** Hears of what nobody waited for and could not be sent. */
  onError: (error: unknown) => void
}

export function createAnnouncer({ send, onError }: AnnouncerParts): Announcer {
  let pending: Signal[] = []
  let timer: NodeJS.Timeout | null = null
  let next: Promise<void> | null = null
  let last: Promise<void> = Promise.resolve()
  let sentAtMs = Number.NEGATIVE_INFINITY

  const sendPending = async (before: Promise<void>): Promise<void> => {
    await before.catch(() => {})
    await new Promise((resolve) => setImmediate(resolve))
    const signals = distinctSignals(pending)
    // Whoever asks from here on is not covered by what is sent now.
    pending = []
    next = null
    disarm()
    if (signals.length === 0) return
    sentAtMs = performance.now()
    await send(signals)
  }

  const flush = (): Promise<void> => {
    if (next) return next
    next = sendPending(last)
    last = next
    return next
  }

  const disarm = (): void => {
    if (timer) clearTimeout(timer)
    timer = null
  }

  return {
    now(signals) {
      pending.push(...signals)
      return flush()
    },
    soon(signals) {
      pending.push(...signals)
      const delayMs = Math.max(coalesceMs, sentAtMs + spacingMs - performance.now())
      timer ??= setTimeout(() => flush().catch(onError), delayMs)
    },
    async close() {
      if (timer) await flush().catch(onError)
      await last.catch(() => {})
    },
  }
}

/** Below what a stream notices; a process that commits all the time tells so a hundred times a second at most. */
const coalesceMs = 2
const spacingMs = 10
