import type { Clock } from '../../domain/ports.ts'

const flushEveryMs = 1_000

/**
 * Stores what an attempt receives, in chunks, at most once a second; a crash loses at most the last second of text and
 * never an answer. `store` says whether the claim still holds: the first `false` is reported once, as lost.
 */
export interface DraftBuffer {
  append(text: string): void
  /** Writes what is left, after what is being written. */
  flush(): Promise<void>
  /** Forgets what is left and disarms the timer; resolves once nothing is being written any more. */
  discard(): Promise<void>
}

export interface DraftBufferParts {
  clock: Clock
  store: (seq: number, text: string) => Promise<boolean>
  onLost: () => void
  onError: (error: unknown) => void
}

export function createDraftBuffer(parts: DraftBufferParts): DraftBuffer {
  let pending = ''
  let seq = 0
  let disarm: (() => void) | null = null
  let writing: Promise<void> = Promise.resolve()
  let over = false

  const write = (last: boolean): Promise<void> => {
    disarm?.()
    disarm = null
    const { ready, rest } = last ? { ready: pending, rest: '' } : splitWhole(pending)
    pending = rest
    if (ready === '' || over) return writing
    const chunk = seq++
    writing = writing.then(async () => {
      if (over) return
      try {
        if (!(await parts.store(chunk, ready))) {
          over = true
          parts.onLost()
        }
      } catch (error) {
        parts.onError(error)
      }
    })
    return writing
  }

  return {
    append(text) {
      if (over) return
      pending += text
      disarm ??= parts.clock.at(new Date(parts.clock.now().getTime() + flushEveryMs), () => void write(false))
    },
    flush: () => write(true),
    discard() {
      over = true
      pending = ''
      disarm?.()
      disarm = null
      return writing
    },
  }
}

/** A chunk never ends between the two halves of a character outside the basic plane: each half alone is not storable. */
function splitWhole(text: string): { ready: string; rest: string } {
  const last = text.charCodeAt(text.length - 1)
  const cut = last >= 0xd800 && last <= 0xdbff ? text.length - 1 : text.length
  return { ready: text.slice(0, cut), rest: text.slice(cut) }
}
