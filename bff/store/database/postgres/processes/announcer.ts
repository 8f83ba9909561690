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

  const sendPending = async (before: Promise<void>): Promise<void> => {
    await before.catch(() => {})
    await new Promise((resolve) => setImmediate(resolve))
    const signals = distinctSignals(pending)
    // Whoever asks from here on is not covered by what is sent now.
    pending = []
    next = null
    disarm()
    if (signals.length > 0) await send(signals)
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
      timer ??= setTimeout(() => flush().catch(onError), coalesceMs)
    },
    async close() {
      if (timer) await flush().catch(onError)
      await last.catch(() => {})
    },
  }
}

/** Below what a stream notices. */
const coalesceMs = 2
