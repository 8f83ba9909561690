import type { Clock, Log } from '../../domain/ports.ts'
import type { Database } from '../../store/database/database.ts'
import type { Cursor } from '../../store/events/cursor.ts'
import { type ChangePage, readChanges } from '../../store/events/read-changes.ts'
import { currentSnapshot } from '../../store/events/snapshot.ts'
import { readChangedViews } from '../../store/views/read-views.ts'
import { type Change, foldChanges } from './fold-changes.ts'

const pageRows = 500
const retryMs = 1_000

/**
 * The one reader of a process (DESIGN §8): follows everybody's events while anybody listens and hands each owner
 * theirs. Woken by signals, gathered for `coalesceMs`; without listeners it runs no statement.
 */
export interface ChangeFeed {
  /** From the present moment on. @returns once the position is fixed, so that a reading done afterwards overlaps. */
  subscribe(
    owner: { orgId: string; personId: string },
    listener: (changes: Change[]) => void,
  ): Promise<() => void>
  readonly listeners: number
  close(): Promise<void>
}

export interface ChangeFeedParts {
  database: Database
  clock: Clock
  log: Log
  coalesceMs: number
  meta: () => Promise<{ epoch: string }>
}

export function createChangeFeed(parts: ChangeFeedParts): ChangeFeed {
  const { database, clock, log } = parts
  const listeners = new Map<string, Set<(changes: Change[]) => void>>()
  let count = 0
  let position: Promise<Cursor> | null = null
  let disarm: (() => void) | null = null
  let reading: Promise<void> | null = null
  let again = false
  let closed = false

  const read = async (): Promise<void> => {
    while (position && count > 0 && !closed) {
      const at = position
      const page = await readChanges(database, null, await at, pageRows)
      await deliver(page)
      // Only now: a page that could not be delivered is read again. Who came anew meanwhile has a position of its own.
      if (position === at) position = Promise.resolve(page.cursor)
      if (!page.hasMore) return
    }
  }

  const deliver = async (page: ChangePage): Promise<void> => {
    const wanted = page.rows.filter((row) => listeners.has(key({ orgId: row.org_id, personId: row.owner })))
    if (wanted.length === 0) return
    const ids = new Set(wanted.flatMap((row) => (row.prompt_id ? [row.prompt_id] : [])))
    const views = new Map(
      (await readChangedViews(database, [...ids])).map(({ view }) => [view.prompt_id, view]),
    )
    for (const [owner, group] of [...listeners]) {
      const rows = wanted.filter((row) => key({ orgId: row.org_id, personId: row.owner }) === owner)
      if (rows.length === 0) continue
      const changes = foldChanges({ ...page, rows }, views)
      for (const listener of [...group]) tell(listener, changes)
    }
  }

  const tell = (listener: (changes: Change[]) => void, changes: Change[]): void => {
    try {
      listener(changes)
    } catch (error) {
      log.error({ err: error }, 'a listener of the change feed broke')
    }
  }

  const wake = (): void => {
    if (count === 0 || closed) return
    if (reading) {
      again = true
      return
    }
    disarm ??= clock.at(new Date(clock.now().getTime() + parts.coalesceMs), pass)
  }

  const pass = (): void => {
    disarm = null
    if (closed) return
    reading = read()
      .catch((error: unknown) => {
        log.warn({ err: error }, 'change feed could not read; trying again')
        if (!closed && count > 0) disarm ??= clock.at(new Date(clock.now().getTime() + retryMs), pass)
      })
      .finally(() => {
        reading = null
        if (again) {
          again = false
          wake()
        }
      })
  }

  const unsubscribe = database.signals.subscribe('events', wake)

  const startPosition = async (): Promise<Cursor> => {
    const { epoch } = await parts.meta()
    return { epoch, from: await currentSnapshot(database) }
  }

  return {
    async subscribe(owner, listener) {
      const owners = key(owner)
      const set = listeners.get(owners) ?? new Set()
      listeners.set(owners, set)
      set.add(listener)
      count += 1
      position ??= startPosition()
      const leave = once(() => {
        set.delete(listener)
        if (set.size === 0) listeners.delete(owners)
        count -= 1
        if (count > 0) return
        position = null
        disarm?.()
        disarm = null
      })
      try {
        await position
      } catch (error) {
        position = null
        leave()
        throw error
      }
      return leave
    },
    get listeners() {
      return count
    },
    async close() {
      closed = true
      unsubscribe()
      disarm?.()
      await reading
    },
  }
}

function key(owner: { orgId: string; personId: string }): string {
  return `${owner.orgId}/${owner.personId}`
}

function once(run: () => void): () => void {
  let done = false
  return () => {
    if (!done) run()
    done = true
  }
}
