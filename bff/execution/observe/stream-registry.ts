import { notFound } from '../../domain/errors.ts'

/** One open stream, as far as others may touch it. */
export interface OpenStream {
  streamId: string
  orgId: string
  personId: string
  setShown(promptIds: readonly string[]): void
  end(): void
}

/** The streams that are open in this process. */
export interface StreamRegistry {
  add(stream: OpenStream): void
  remove(streamId: string): void
  /** @throws DomainError `not_found` for a stream that has ended or is somebody else's. */
  find(streamId: string, who: { orgId: string; personId: string }): OpenStream
  readonly size: number
  endAll(): void
}

export function createStreamRegistry(): StreamRegistry {
  const streams = new Map<string, OpenStream>()
  return {
    add: (stream) => void streams.set(stream.streamId, stream),
    remove: (streamId) => void streams.delete(streamId),
    find(streamId, who) {
      const stream = streams.get(streamId)
      if (stream?.orgId !== who.orgId || stream.personId !== who.personId) throw notFound('stream')
      return stream
    },
    get size() {
      return streams.size
    },
    endAll() {
      for (const stream of [...streams.values()]) stream.end()
    },
  }
}
