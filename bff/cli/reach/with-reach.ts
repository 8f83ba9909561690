import { setTimeout as wait } from 'node:timers/promises'
import * as z from 'zod/mini'
import { DomainError } from '../../domain/errors.ts'
import { type Config, readConfig } from '../config.ts'
import { adminClient, NobodyListens } from './admin-client.ts'
import { adminSocketPath } from './admin-socket-path.ts'
import type { Reach } from './reach.ts'
import { socketReach } from './socket-reach.ts'

/**
 * Gives `work` the way to the data: PostgreSQL directly; the embedded database through the server that has it open,
 * or, when none runs, by opening it for as long as `work` takes.
 *
 * @param purpose what this process does, for whoever finds the directory locked: `runs mission list-jobs`.
 */
export async function withReach<T>(
  purpose: string,
  work: (reach: Reach) => Promise<T>,
  config: Config = readConfig(),
): Promise<T> {
  if (config.databaseUrl !== null) return directly(config, purpose, work)
  const giveUpAt = Date.now() + lockWaitMs
  for (;;) {
    try {
      return await work(socketReach(adminClient(adminSocketPath(config))))
    } catch (error) {
      if (!(error instanceof NobodyListens)) throw error
    }
    try {
      return await directly(config, purpose, work)
    } catch (error) {
      if (!isLocked(error) || Date.now() > giveUpAt) throw error
    }
    await wait(100)
  }
}

/** Whether a server has the embedded database of this data directory open. */
export async function serverRuns(config: Config): Promise<boolean> {
  try {
    await adminClient(adminSocketPath(config)).get('/jobs?limit=1', z.looseObject({}))
    return true
  } catch (error) {
    return !(error instanceof NobodyListens)
  }
}

/** How long to look again while the lock is held and nobody listens: a server is starting, or another verb at work. */
const lockWaitMs = 5_000

/** Databases and providers are loaded only by who needs them: most verbs ask a running server. */
async function directly<T>(config: Config, purpose: string, work: (reach: Reach) => Promise<T>): Promise<T> {
  const { openDirectly } = await import('./open-directly.ts')
  return openDirectly(config, purpose, work)
}

function isLocked(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'data_dir_locked'
}
