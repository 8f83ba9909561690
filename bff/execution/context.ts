import type { Deadlines } from '../domain/deadlines.ts'
import type { Clock, Log } from '../domain/ports.ts'
import type { Database } from '../store/database/database.ts'
import { readMeta } from '../store/events/read-changes.ts'
import { createLiveDrafts, type LiveDrafts } from './attempt/live-drafts.ts'
import type { Providers } from './choose-model.ts'
import { type ChangeFeed, createChangeFeed } from './observe/change-feed.ts'
import { createStreamRegistry, type StreamRegistry } from './observe/stream-registry.ts'
import { createGateFeed, type GateFeed } from './queue/gate-feed.ts'
import { createQueueFeed, type QueueFeed } from './queue/queue-feed.ts'
import { type DraftRelay, relayDrafts } from './relay/relay-drafts.ts'
import { createSubmitQueue, type SubmitQueue } from './submit-queue.ts'
import { createWatch, type Watch } from './watch/watch.ts'

/** Who asks; every query is scoped by both. */
export interface Scope {
  orgId: string
  personId: string
}

export interface ExecutionSettings {
  deadlines: Deadlines
  /** What one step of priority is worth in the order of claims, in ms. */
  agingMs: number
  /** Shrinks our own retry delays; 1 in production. */
  backoffScale: number
  /** Jobs that one worker runs at once. */
  concurrency: number
  /** Jobs that one org may have running at once. */
  orgConcurrency: number
  drainMs: number
  /** How long events are gathered before streams hear of them, in ms. */
  eventCoalesceMs: number
  submitsPerMinute: number
}

/** What every verb of this folder needs; made once by the wire and passed down. */
export interface Execution {
  readonly database: Database
  readonly clock: Clock
  readonly random: () => number
  readonly log: Log
  readonly providers: Providers
  readonly settings: ExecutionSettings
  readonly version: string
  readonly submits: SubmitQueue
  readonly liveDrafts: LiveDrafts
  /** Carries the drafts between processes; null where there is only one. */
  readonly draftRelay: DraftRelay | null
  readonly changes: ChangeFeed
  readonly gates: GateFeed
  readonly queues: QueueFeed
  readonly streams: StreamRegistry
  readonly watch: Watch
  /** The epoch of this database; read once, since it changes only while no server runs. */
  readonly meta: () => Promise<{ epoch: string }>
}

export interface ExecutionParts {
  database: Database
  clock: Clock
  random?: () => number
  log: Log
  providers: Providers
  settings: ExecutionSettings
  version: string
}

export function createExecution(parts: ExecutionParts): Execution {
  const { database, clock, log, settings } = parts
  let known: Promise<{ epoch: string }> | undefined
  const meta = () => {
    known ??= readMeta(database).catch((error: unknown) => {
      known = undefined
      throw error
    })
    return known
  }
  const liveDrafts = createLiveDrafts()
  const { broadcast } = database
  const { leaseMs } = settings.deadlines
  return {
    ...parts,
    random: parts.random ?? Math.random,
    submits: createSubmitQueue({ database, clock, meta, orgConcurrency: settings.orgConcurrency }),
    liveDrafts,
    draftRelay: broadcast && relayDrafts({ broadcast, clock, log, liveDrafts, leaseMs }),
    changes: createChangeFeed({ database, clock, log, coalesceMs: settings.eventCoalesceMs, meta }),
    gates: createGateFeed({ database, clock, log }),
    queues: createQueueFeed({
      database,
      clock,
      log,
      orgConcurrency: settings.orgConcurrency,
      coalesceMs: settings.eventCoalesceMs,
    }),
    streams: createStreamRegistry(),
    watch: createWatch({ database, log }),
    meta,
  }
}

/** Ends the streams and the feed; the database is its opener's to close. */
export async function closeExecution(execution: Execution): Promise<void> {
  execution.streams.endAll()
  await execution.draftRelay?.close()
  await execution.changes.close()
  await execution.gates.close()
  await execution.queues.close()
  execution.watch.close()
}
