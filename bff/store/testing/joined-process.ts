import { sql } from 'drizzle-orm'
import { onTestFinished } from 'vitest'
import { type Signal, signalTopics } from '../../domain/signals.ts'
import type { Database } from '../database/database.ts'
import { openPostgres } from '../database/postgres/open-postgres.ts'
import {
  type JoinedDatabase,
  type JoinOptions,
  joinProcesses,
} from '../database/postgres/processes/join-processes.ts'

/** One process of several on a database, as far as signals go, and what it heard so far. */
export interface JoinedProcess {
  readonly database: JoinedDatabase
  readonly heard: readonly Signal[]
  /** Resolves once so many signals were heard; the test's own timeout bounds it. */
  hears(count: number): Promise<void>
}

export interface JoinedProcessOptions extends Partial<Omit<JoinOptions, 'url'>> {
  /** Put around the process's own pool, below what joins it with the others. */
  interpose?: (own: Database) => Database
}

/** Joins, with a pool of its own, and leaves with the test. */
export async function joinedProcess(url: string, options: JoinedProcessOptions = {}): Promise<JoinedProcess> {
  const { interpose = (own: Database) => own, ...more } = options
  const own = interpose(await openPostgres({ url, connectionsMax: 4 }))
  const database = await joinProcesses(own, { url, log: silentLog, pollMs: 60_000, ...more })
  onTestFinished(() => database.close())
  const heard: Signal[] = []
  const listeners = new Set<() => void>()
  for (const topic of signalTopics) {
    database.signals.subscribe(topic, (signal) => {
      heard.push(signal)
      for (const listener of [...listeners]) listener()
    })
  }
  return {
    database,
    heard,
    hears: (count) =>
      new Promise<void>((resolve) => {
        const look = (): void => {
          if (heard.length < count) return
          listeners.delete(look)
          resolve()
        }
        listeners.add(look)
        look()
      }),
  }
}

/** Ends the connections on which processes listen; returns once the server has no trace of them. */
export async function cutListeners(database: Database): Promise<void> {
  await database.rows(sql`
    select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and query ilike 'listen%'`)
}

const silentLog = { info() {}, warn() {}, error() {} }
