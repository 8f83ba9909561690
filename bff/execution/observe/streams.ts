import { v7 as uuidV7 } from 'uuid'
import { beatMs, type SseData, type SseEventName } from '../../../shared/change.ts'
import { encodeCursor } from '../../store/events/cursor.ts'
import { readChanges } from '../../store/events/read-changes.ts'
import { readChangedViews } from '../../store/views/read-views.ts'
import type { Execution, Scope } from '../context.ts'
import { createDeltaTap } from './delta-tap.ts'
import { type Change, foldChanges } from './fold-changes.ts'
import { createItemQueue } from './item-queue.ts'
import { positionOf, presentCursor } from './position.ts'

const queuedItemsMax = 1_000
const catchUpRows = 500

/** One event of a stream; `id` is the cursor behind it, and deltas have none. */
export type StreamItem = { [N in SseEventName]: { event: N; id?: string; data: SseData<N> } }[SseEventName]

export interface Stream {
  streamId: string
  /** Begins with `hello`; ends when the signal aborts, when the server closes, or after a `resync`. */
  items: AsyncIterable<StreamItem>
}

export interface StreamRequest {
  /** A cursor or an ISO 8601 time; without it the stream starts at the present. */
  since?: string
  signal: AbortSignal
}

/**
 * Follows one's own prompts: what changed since the client's cursor, then each change as it commits, deltas of running
 * attempts and a beat. A client too slow for its bounded queue is told to resync and let go.
 *
 * @throws DomainError `malformed_cursor` before anything is opened.
 */
export async function openStream(
  execution: Execution,
  scope: Scope,
  request: StreamRequest,
): Promise<Stream> {
  const start = request.since === undefined ? null : await positionOf(execution, scope, request.since)
  const position = start ?? { cursor: await presentCursor(execution), resync: false }
  const streamId = uuidV7()
  const queue = createItemQueue<StreamItem>(queuedItemsMax)
  let cursor = encodeCursor(position.cursor)

  const push = (item: StreamItem): void => {
    if (queue.push(item)) return
    queue.replaceWith({ event: 'resync', data: { cursor } })
    end()
  }
  const deliver = (changes: readonly Change[]): void => {
    for (const change of changes) {
      cursor = change.cursor
      for (const item of itemsOf(change)) push(item)
    }
  }

  const { clock } = execution
  const taps = createDeltaTap(execution, scope, (delta) => push({ event: 'response.delta', data: delta }))
  let stopBeat = (): void => {}
  let ended = false
  const beat = (): void => {
    if (ended) return
    stopBeat = clock.at(new Date(clock.now().getTime() + beatMs), () => {
      push({ event: 'beat', data: { cursor } })
      beat()
    })
  }
  const leaving: (() => void)[] = []
  /** What was subscribed while the client left is left again at once. */
  const onEnd = (leave: () => void): void => {
    if (ended) leave()
    else leaving.push(leave)
  }
  const end = (): void => {
    if (ended) return
    ended = true
    stopBeat()
    for (const leave of leaving) leave()
    taps.close()
    execution.streams.remove(streamId)
    request.signal.removeEventListener('abort', end)
    queue.end()
  }

  push({ event: 'hello', id: cursor, data: { version: execution.version, stream_id: streamId, cursor } })
  if (position.resync) {
    push({ event: 'resync', data: { cursor } })
    end()
    return { streamId, items: queue }
  }
  execution.streams.add({ streamId, ...scope, setShown: taps.setShown, end })
  request.signal.addEventListener('abort', end)
  if (request.signal.aborted) end()
  beat()
  try {
    await tellQueue(execution, scope, push, onEnd)
    // Subscribed before catching up, so that nothing falls between; what comes twice is harmless by revision.
    // A stream that starts at the present catches up too: with what was committed while it opened.
    const early: Change[][] = []
    let live = false
    const unsubscribe = await execution.changes.subscribe(scope, (changes) => {
      if (live) deliver(changes)
      else early.push(changes)
    })
    onEnd(unsubscribe)
    let at = position.cursor
    for (let hasMore = true; hasMore && !ended; ) {
      const page = await readChanges(execution.database, scope, at, catchUpRows)
      const ids = new Set(page.rows.flatMap((row) => (row.prompt_id ? [row.prompt_id] : [])))
      const views = ids.size > 0 ? await readChangedViews(execution.database, [...ids]) : []
      deliver(foldChanges(page, new Map(views.map(({ view }) => [view.prompt_id, view]))))
      at = page.cursor
      hasMore = page.hasMore
    }
    live = true
    for (const changes of early) deliver(changes)
    if (!ended) taps.open()
  } catch (error) {
    end()
    throw error
  }
  return { streamId, items: queue }
}

/** What no prompt's row knows: the gates that are closed and how full the queue is, as it is now and whenever it changes. */
async function tellQueue(
  execution: Execution,
  scope: Scope,
  push: (item: StreamItem) => void,
  onEnd: (leave: () => void) => void,
): Promise<void> {
  const gates = await execution.gates.subscribe((data) => push({ event: 'provider.gate', data }))
  onEnd(gates.leave)
  for (const data of gates.closed) push({ event: 'provider.gate', data })
  const queue = await execution.queues.subscribe(scope.orgId, (data) =>
    push({ event: 'queue.changed', data }),
  )
  onEnd(queue.leave)
  push({ event: 'queue.changed', data: queue.present })
}

/** Which prompts' texts a stream wants; replaces what it wanted before. @throws DomainError `not_found`. */
export function setShown(
  execution: Execution,
  scope: Scope,
  streamId: string,
  promptIds: readonly string[],
): void {
  execution.streams.find(streamId, scope).setShown(promptIds)
}

function itemsOf(change: Change): StreamItem[] {
  const { view, kinds, cursor: id } = change
  const items: StreamItem[] = []
  if (view && [...kinds].some((kind) => kind.startsWith('job-') || kind.startsWith('attempt-'))) {
    items.push({ event: 'job.state_changed', id, data: view })
  } else if (view && [...kinds].some((kind) => kind.startsWith('entity-'))) {
    items.push({ event: 'entity.changed', id, data: view })
  }
  if (change.seenJobId) {
    items.push({ event: 'prompt.seen', id, data: { prompt_id: change.promptId, job_id: change.seenJobId } })
  }
  return items
}
