import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import type { Log } from '../../../../domain/ports.ts'
import type { Signal, SignalTopic } from '../../../../domain/signals.ts'
import type { Database, Queryable } from '../../database.ts'
import { distinctSignals } from '../../signals.ts'
import { hearSignals } from './hear-signals.ts'
import { listeningTx } from './listening-tx.ts'
import { signalChannel, signalPayloads } from './signal-payload.ts'

/** A database whose signals are heard by every process that uses it. */
export interface JoinedDatabase extends Database {
  /** Whether a NOTIFY of ours came back at the start: a pooler in transaction mode swallows them. */
  readonly hearsOthers: boolean
}

/**
 * Joins this process with the others on the same PostgreSQL: what one commits, all hear.
 *
 * What others must act on (`job-queued`, `job-cancelled`, `deadlines`) goes by NOTIFY inside the transaction, so that
 * a crash cannot come between the two. `events` only tell streams that there is something to read: they follow the
 * commit, many at once, because NOTIFY takes a lock of the whole cluster at commit; one that is lost in a crash costs a
 * stream the time until the next. After a reconnect everything counts as signalled, since nobody knows what was missed.
 *
 * @param url direct, not through a pooler in transaction mode.
 */
export async function joinProcesses(database: Database, url: string, log: Log): Promise<JoinedDatabase> {
  const origin = randomUUID()
  const notify = async (queryable: Queryable, signals: readonly Signal[]): Promise<void> => {
    for (const payload of signalPayloads(origin, signals)) {
      await queryable.rows(sql`select pg_notify(${signalChannel}, ${payload})`)
    }
  }

  let relaying = false
  const relay = (signals: readonly Signal[]): void => {
    relaying = true
    try {
      database.signals.publish(signals)
    } finally {
      relaying = false
    }
  }
  const ear = await hearSignals({ url, origin, onSignals: relay, log })

  let announcing: Promise<void> | null = null
  const announceEvents = async (): Promise<void> => {
    await wait(eventsCoalesceMs)
    // Whoever asks from here on is not covered by what is sent now.
    announcing = null
    await notify(database, [{ topic: 'events' }])
  }
  const unsubscribe = database.signals.subscribe('events', () => {
    if (relaying) return
    announcing ??= announceEvents().catch((error: unknown) => {
      log.warn({ err: error }, 'other processes could not be told of new events')
    })
  })

  await notify(database, [])
  return {
    ...database,
    hearsOthers: await ear.heardItself(probeMs),
    async transaction(work, options) {
      return database.transaction(async (tx) => {
        const said: Signal[] = []
        const result = await work(listeningTx(tx, said))
        const urgent = distinctSignals(said).filter(({ topic }) => !ofItsOwn.has(topic))
        if (urgent.length > 0) await notify(tx, urgent)
        return result
      }, options)
    },
    async close() {
      unsubscribe()
      await announcing
      await ear.close()
      await database.close()
    },
  }
}

/** `events` are announced apart, and a move of a job is told in the process that made it. */
const ofItsOwn: ReadonlySet<SignalTopic> = new Set(['events', 'job-moved'])
/** Below what a stream notices. */
const eventsCoalesceMs = 2
/** A round trip takes a few; a start does not wait longer for a pooler that swallows it. */
const probeMs = 2_000
