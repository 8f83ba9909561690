/** The event streams that this process serves, by session, so that signing out ends them. */
export interface OpenStreams {
  /** Returns the way to take it out again. */
  add(session: string, ending: AbortController): () => void
  endOf(session: string): void
  /** The sessions that have any. */
  sessions(): string[]
  readonly size: number
}

export function createOpenStreams(): OpenStreams {
  const bySession = new Map<string, Set<AbortController>>()
  return {
    add(session, ending) {
      const streams = bySession.get(session) ?? new Set()
      bySession.set(session, streams.add(ending))
      return () => {
        streams.delete(ending)
        if (streams.size === 0 && bySession.get(session) === streams) bySession.delete(session)
      }
    },
    endOf(session) {
      for (const ending of [...(bySession.get(session) ?? [])]) ending.abort()
    },
    sessions: () => [...bySession.keys()],
    get size() {
      return [...bySession.values()].reduce((sum, streams) => sum + streams.size, 0)
    },
  }
}
