import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Scope } from '../execution/context.ts'
import {
  closeExecution,
  createExecution,
  type Execution,
  type ExecutionSettings,
} from '../execution/context.ts'
import { ensureOwner } from '../execution/sessions.ts'
import type { Database } from '../store/database/database.ts'
import type { DiskSyncReport } from '../store/database/disk-sync.ts'
import { type MigrationReport, migrate } from '../store/database/migrate.ts'
import { openPglite } from '../store/database/open-pglite.ts'
import { openPostgres } from '../store/database/open-postgres.ts'
import { chooseProviders } from './choose-providers.ts'
import type { Config } from './config.ts'
import { type OpenLog, openLog } from './log.ts'
import { version } from './product-folder.ts'
import { systemClock } from './system-clock.ts'

/** The product with its data open: what every verb that touches data works on. */
export interface Product {
  readonly config: Config
  readonly execution: Execution
  readonly owner: Scope
  readonly log: OpenLog
  readonly storage: Storage
  readonly migration: MigrationReport
  /** Ends streams and feed, then lets go of the data. A second call returns the first one's promise. */
  close(): Promise<void>
}

/** Where the data is; `sync` says what the embedded database guarantees, null for PostgreSQL. */
export interface Storage {
  kind: Database['kind']
  directory: string | null
  sync: DiskSyncReport | null
}

/**
 * The only place where adapters meet execution: opens the database, brings it to this version's schema, finds the
 * providers, and makes sure that there is an org with an owner.
 *
 * @param purpose what this process does, for whoever finds the data directory locked.
 * @throws DomainError `data_dir_locked`, `database_unavailable`, `invalid_settings`.
 */
export async function openProduct(config: Config, purpose: string): Promise<Product> {
  const log = openLog(config, version)
  const { database, storage } = await openDatabase(config, purpose)
  try {
    const [migration, providers] = await Promise.all([migrate(database), chooseProviders(config)])
    if (migration.mendedEvents > 0)
      log.warn({ events: migration.mendedEvents }, 'events of another database mended')
    const execution = createExecution({
      database,
      clock: systemClock,
      log,
      providers,
      settings: executionSettings(config),
      version,
    })
    const owner = await ensureOwner(execution)
    let closed: Promise<void> | undefined
    const close = async (): Promise<void> => {
      await closeExecution(execution)
      await database.close()
      log.flush()
    }
    return {
      config,
      execution,
      owner,
      log,
      storage,
      migration,
      close: () => {
        closed ??= close()
        return closed
      },
    }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** The embedded database's folder; its lock stands beside it. */
export function databaseFolder(config: Config): string {
  return join(config.dataDir, 'pglite')
}

async function openDatabase(
  config: Config,
  purpose: string,
): Promise<{ database: Database; storage: Storage }> {
  if (config.databaseUrl !== null) {
    const database = await openPostgres({ url: config.databaseUrl })
    return { database, storage: { kind: 'postgres', directory: null, sync: null } }
  }
  const directory = databaseFolder(config)
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  const { database, ...sync } = await openPglite({ directory, diskSync: config.diskSync, purpose })
  return { database, storage: { kind: 'pglite', directory, sync } }
}

function executionSettings(config: Config): ExecutionSettings {
  const { heartbeatMs, leaseMs, silenceMs, ceilingMs, firstHealthMs } = config
  return {
    deadlines: { heartbeatMs, leaseMs, silenceMs, ceilingMs, firstHealthMs },
    agingMs: config.agingMs,
    backoffScale: config.backoffScale,
    concurrency: config.concurrency,
    orgConcurrency: config.orgConcurrency,
    drainMs: config.drainMs,
    eventCoalesceMs: config.eventCoalesceMs,
    submitsPerMinute: config.submitsPerMinute,
  }
}
