import { afterStream, type LiveText } from './live-text.ts'

/** Live text per prompt. Who watches one prompt is not woken by the words of another. */
export interface LiveTexts {
  get(id: string): LiveText | undefined
  subscribe(id: string, listener: () => void): () => void
  set(id: string, live: LiveText | null): void
  /** The stream ended: what the next one tells does not follow on from here. */
  streamEnded(): void
}

export function createLiveTexts(): LiveTexts {
  const texts = new Map<string, LiveText>()
  const listeners = new Map<string, Set<() => void>>()

  function tell(id: string) {
    for (const listener of [...(listeners.get(id) ?? [])]) listener()
  }

  return {
    get: (id) => texts.get(id),
    subscribe(id, listener) {
      const own = listeners.get(id) ?? new Set()
      listeners.set(id, own)
      own.add(listener)
      return () => {
        own.delete(listener)
        if (own.size === 0 && listeners.get(id) === own) listeners.delete(id)
      }
    },
    set(id, live) {
      if (live === null) texts.delete(id)
      else texts.set(id, live)
      tell(id)
    },
    streamEnded() {
      for (const [id, live] of texts) texts.set(id, afterStream(live))
    },
  }
}
