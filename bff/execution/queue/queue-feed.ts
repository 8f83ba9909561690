import type { SseData } from '../../../shared/change.ts'
import type { Clock, Log } from '../../domain/ports.ts'
import type { Database } from '../../store/database/database.ts'
import { type OrgLoad, readOrgLoads } from '../../store/views/read-queue.ts'
import { createRefresher } from './refresher.ts'

/** One telling a second at most, however busy the queue is. */
export const queueSpacingMs = 1_000

type QueueChange = SseData<'queue.changed'>

/**
 * How full the queues of those orgs are that somebody listens to. Woken by signals, told at most once a second and only
 * what is different; without listeners it runs no statement.
 */
export interface QueueFeed {
  /** @returns how it stands, and the way out; `listener` hears how it stands later. */
  subscribe(
    orgId: string,
    listener: (change: QueueChange) => void,
  ): Promise<{ present: QueueChange; leave: () => void }>
  close(): Promise<void>
}

interface Org {
  listeners: Set<Listener>
  present: QueueChange
}

interface Listener {
  hear: (change: QueueChange) => void
  /** It was told how it stands; what changed before that is in there already. */
  isTold: boolean
}

const empty: QueueChange = { running: 0, waiting: 0, org_limit: false }

export interface QueueFeedParts {
  database: Database
  clock: Clock
  log: Log
  orgConcurrency: number
  /** How long signals are gathered before the first telling. */
  coalesceMs: number
}

export function createQueueFeed(parts: QueueFeedParts): QueueFeed {
  const { database, clock, log, orgConcurrency } = parts
  const orgs = new Map<string, Org>()
  let readAtMs = Number.NEGATIVE_INFINITY
  let disarm: (() => void) | null = null
  let last: Promise<void> = Promise.resolve()
  let isClosed = false

  const changeOf = ({ running, waiting }: OrgLoad): QueueChange => ({
    running,
    waiting,
    org_limit: running >= orgConcurrency,
  })

  const refresh = createRefresher(async () => {
    readAtMs = clock.now().getTime()
    for (const load of await readOrgLoads(database, [...orgs.keys()])) {
      const org = orgs.get(load.orgId)
      const change = changeOf(load)
      if (org === undefined || isSame(org.present, change)) continue
      org.present = change
      for (const each of org.listeners) if (each.isTold) each.hear(change)
    }
  })

  const arm = (atMs: number): void => {
    if (isClosed || orgs.size === 0) return
    disarm ??= clock.at(new Date(atMs), () => {
      disarm = null
      if (isClosed || orgs.size === 0) return
      last = refresh().catch((error: unknown) => {
        log.warn({ err: error }, 'queues could not be read; trying again')
        arm(clock.now().getTime() + queueSpacingMs)
      })
    })
  }
  const wake = () => arm(Math.max(clock.now().getTime() + parts.coalesceMs, readAtMs + queueSpacingMs))
  const unsubscribe = database.signals.subscribe('events', wake)

  return {
    async subscribe(orgId, hear) {
      const org = orgs.get(orgId) ?? { listeners: new Set(), present: empty }
      orgs.set(orgId, org)
      const listener: Listener = { hear, isTold: false }
      org.listeners.add(listener)
      const leave = (): void => {
        org.listeners.delete(listener)
        if (org.listeners.size > 0) return
        if (orgs.get(orgId) === org) orgs.delete(orgId)
        if (orgs.size > 0) return
        disarm?.()
        disarm = null
      }
      try {
        await refresh()
      } catch (error) {
        leave()
        throw error
      }
      listener.isTold = true
      return { present: org.present, leave }
    },
    async close() {
      isClosed = true
      unsubscribe()
      disarm?.()
      await last
    },
  }
}

function isSame(one: QueueChange, other: QueueChange): boolean {
  return one.running === other.running && one.waiting === other.waiting && one.org_limit === other.org_limit
}
