import type { StreamItem } from '../observe/streams.ts'
import { turn } from './until.ts'

/** Reads a stream as a client that keeps up; what has arrived is in `items`. */
export interface StreamReader {
  readonly items: StreamItem[]
  readonly ended: boolean
  /** Resolves once an item is there that satisfies `wanted`, with it. */
  seen<Wanted extends StreamItem>(wanted: (item: StreamItem) => item is Wanted): Promise<Wanted>
  seen(wanted: (item: StreamItem) => boolean): Promise<StreamItem>
  /** Resolves when the stream has ended. */
  readonly end: Promise<void>
}

export function readStream(stream: { items: AsyncIterable<StreamItem> }): StreamReader {
  const items: StreamItem[] = []
  let ended = false
  const read = async (): Promise<void> => {
    for await (const item of stream.items) items.push(item)
    ended = true
  }
  const end = read()
  return {
    items,
    get ended() {
      return ended
    },
    end,
    async seen(wanted: (item: StreamItem) => boolean) {
      for (;;) {
        const found = items.find(wanted)
        if (found) return found
        if (ended) throw new Error('the stream ended without it')
        await turn()
      }
    },
  }
}
