import type { Clock, Log } from '../domain/ports.ts'
import type { StreamItem } from '../execution/observe/streams.ts'

/** A client that has not taken an event for so long is gone, whatever its socket says: two beats. */
export const stalledMs = 30_000

interface StreamParts {
  items: AsyncIterable<StreamItem>
  /** Aborted by whoever ends the stream; the stream aborts it itself when its client has left. */
  ending: AbortController
  /** Cuts the connection: a client that does not read cannot be told that the stream has ended. */
  cut: () => void
  clock: Clock
  log: Log
}

/**
 * Items as server-sent events. An item is asked for only once the client has taken the one before, so that nothing
 * piles up here: what waits, waits in execution's bounded queue. The asking ends with the client, within one turn of
 * the event loop, because nothing here sleeps. A failure ends the stream and is logged; its words stay here.
 */
export function eventStream({ items, ending, cut, clock, log }: StreamParts): Response {
  const source = items[Symbol.asyncIterator]()
  let disarm = () => {}
  ending.signal.addEventListener('abort', () => disarm(), { once: true })
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        disarm()
        const item = await nextItem(source, log)
        if (item === null || ending.signal.aborted) {
          if (!ending.signal.aborted) ending.abort()
          closeQuietly(controller)
          return
        }
        controller.enqueue(encode(item))
        disarm = clock.at(new Date(clock.now().getTime() + stalledMs), () => {
          ending.abort()
          closeQuietly(controller)
          cut()
        })
      },
      async cancel() {
        ending.abort()
        await source.return?.()
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, {
    headers: {
      'Content-Type': 'text/event-stream',
      // Whoever compresses or buffers on the way would hold events back.
      'Cache-Control': 'no-store, no-transform',
      'Content-Encoding': 'identity',
      'X-Accel-Buffering': 'no',
    },
  })
}

const encoder = new TextEncoder()

/** JSON has no bare line break, so that one `data:` line carries all of it. */
function encode(item: StreamItem): Uint8Array {
  const id = item.id === undefined ? '' : `id: ${item.id}\n`
  return encoder.encode(`event: ${item.event}\n${id}data: ${JSON.stringify(item.data)}\n\n`)
}

async function nextItem(source: AsyncIterator<StreamItem>, log: Log): Promise<StreamItem | null> {
  try {
    const { done, value } = await source.next()
    return done ? null : value
  } catch (error) {
    log.error({ error }, 'event stream failed')
    return null
  }
}

/** Closing what its reader has cancelled already throws, and is no error. */
function closeQuietly(controller: ReadableStreamDefaultController): void {
  try {
    controller.close()
  } catch {
    // The client was faster.
  }
}
