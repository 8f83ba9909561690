import type { FieldResponse } from '../../shared/observe.ts'
import { createListeners } from './listeners.ts'

/** Where one prompt belongs on the field. */
export interface Placing {
  readonly id: string
  readonly threadId: string
  readonly parentId: string | null
  /** Epoch milliseconds by the server's clock; `Infinity` while the server has not said, which is at the end. */
  readonly createdAt: number
}

/** Everything the field's layout needs, in columns of equal length, by `createdAt`, then id. Never changed, only replaced. */
export interface LayoutSnapshot {
  readonly epoch: number
  readonly ids: readonly string[]
  /** Index of each prompt's thread in `threadIds` and `threadOrder`. */
  readonly threads: readonly number[]
  /** Index of the prompt that each continues, −1 for none. */
  readonly parents: readonly number[]
  readonly createdAt: readonly number[]
  readonly threadIds: readonly string[]
  readonly threadOrder: readonly number[]
}

export interface ThreadFacts {
  readonly id: string
  readonly title: string
  readonly order: number
}

/**
 * Which prompts there are, and where they stand: a structure beside the views, because it changes only when a prompt
 * comes, goes or gets its place, and then everything is laid out anew. Titles change without that.
 */
export interface LayoutIndex {
  /** Same object until the epoch changes. */
  snapshot(): LayoutSnapshot
  /** Told when the epoch changed, once per `flush`. */
  subscribe(listener: () => void): () => void
  /** Told when a title changed, or the epoch did. */
  subscribeTitles(listener: () => void): () => void
  has(id: string): boolean
  placing(id: string): Placing | undefined
  thread(threadId: string): ThreadFacts | undefined
  /** Prompts of a thread, oldest first. Same object until the epoch changes. */
  idsOfThread(threadId: string): readonly string[]
  place(placing: Placing): void
  remove(id: string): void
  setThread(thread: { id: string; title: string; order?: number }): void
  /** Replaces all that is known, but for the prompts in `keep`. */
  restart(field: FieldResponse, keep: ReadonlySet<string>): void
  /** Adds what the field's columns hold; a place that the server gave wins over a provisional one. */
  merge(field: FieldResponse): void
  /** Tells the listeners of what happened since the last time. */
  flush(): void
}

export function createLayoutIndex(): LayoutIndex {
  const placings = new Map<string, Placing>()
  const threads = new Map<string, ThreadFacts>()
  const listeners = createListeners()
  const titleListeners = createListeners()
  let epoch = 0
  let isMoved = false
  let isRetitled = false
  let built: LayoutSnapshot | undefined
  let idsByThread = new Map<string, string[]>()

  function snapshot(): LayoutSnapshot {
    if (built === undefined) {
      built = buildSnapshot(epoch, placings, threads)
      idsByThread = groupByThread(built)
    }
    return built
  }

  function moved() {
    epoch += 1
    isMoved = true
    built = undefined
  }

  function place(placing: Placing) {
    const known = placings.get(placing.id)
    if (known !== undefined && isSamePlacing(known, placing)) return
    placings.set(placing.id, placing)
    moved()
  }

  function setThread({ id, title, order }: { id: string; title: string; order?: number }) {
    const known = threads.get(id)
    if (known?.title === title && (order === undefined || known.order === order)) return
    threads.set(id, { id, title, order: order ?? known?.order ?? Number.POSITIVE_INFINITY })
    isRetitled = true
    if (order !== undefined && known?.order !== order) moved()
  }

  function merge(field: FieldResponse) {
    for (const thread of field.threads) setThread(thread)
    field.ids.forEach((id, index) => {
      const parent = field.parent[index] ?? -1
      place({
        id,
        threadId: field.threads[field.thread[index] ?? -1]?.id ?? id,
        parentId: parent < 0 ? null : (field.ids[parent] ?? null),
        createdAt: field.created_at[index] ?? 0,
      })
    })
  }

  return {
    snapshot,
    subscribe: listeners.subscribe,
    subscribeTitles: titleListeners.subscribe,
    has: (id) => placings.has(id),
    placing: (id) => placings.get(id),
    thread: (threadId) => threads.get(threadId),
    idsOfThread(threadId) {
      snapshot()
      return idsByThread.get(threadId) ?? noIds
    },
    place,
    setThread,
    merge,
    remove(id) {
      if (placings.delete(id)) moved()
    },
    restart(field, keep) {
      const stays = new Set([...field.ids, ...keep])
      for (const id of [...placings.keys()]) {
        if (!stays.has(id)) {
          placings.delete(id)
          moved()
        }
      }
      merge(field)
    },
    flush() {
      if (isMoved) listeners.tell()
      if (isMoved || isRetitled) titleListeners.tell()
      isMoved = false
      isRetitled = false
    },
  }
}

const noIds: readonly string[] = []

/** Creation decides, never completion; ids decide between equal times, as the server does. */
function byCreation(one: Placing, other: Placing): number {
  if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt ? -1 : 1
  return one.id < other.id ? -1 : one.id > other.id ? 1 : 0
}

function isSamePlacing(one: Placing, other: Placing): boolean {
  return (
    one.createdAt === other.createdAt && one.threadId === other.threadId && one.parentId === other.parentId
  )
}

function buildSnapshot(
  epoch: number,
  placings: ReadonlyMap<string, Placing>,
  facts: ReadonlyMap<string, ThreadFacts>,
): LayoutSnapshot {
  const sorted = [...placings.values()].sort(byCreation)
  const indexOf = new Map(sorted.map((placing, index) => [placing.id, index]))
  const threadIds = [...new Set(sorted.map((placing) => placing.threadId))]
  const threadIndex = new Map(threadIds.map((id, index) => [id, index]))
  return {
    epoch,
    ids: sorted.map((placing) => placing.id),
    threads: sorted.map((placing) => threadIndex.get(placing.threadId) ?? -1),
    parents: sorted.map((placing) =>
      placing.parentId === null ? -1 : (indexOf.get(placing.parentId) ?? -1),
    ),
    createdAt: sorted.map((placing) => placing.createdAt),
    threadIds,
    threadOrder: threadIds.map((id) => facts.get(id)?.order ?? Number.POSITIVE_INFINITY),
  }
}

function groupByThread(snapshot: LayoutSnapshot): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  snapshot.ids.forEach((id, index) => {
    const threadId = snapshot.threadIds[snapshot.threads[index] ?? -1]
    if (threadId === undefined) return
    const group = groups.get(threadId)
    if (group === undefined) groups.set(threadId, [id])
    else group.push(id)
  })
  return groups
}
