import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openTelemetry } from '../adapters/telemetry/open-telemetry.ts'
import type { Log } from '../domain/ports.ts'
import {
  closeExecution,
  createExecution,
  type Execution,
  type ExecutionSettings,
  type Scope,
} from '../execution/context.ts'
import { ensureOwner } from '../execution/sessions.ts'
import type { Database } from '../store/database/database.ts'
import { type MigrationReport, migrate } from '../store/database/migrate.ts'
import type { DiskSyncReport } from '../store/database/pglite/disk-sync.ts'
import { openPglite } from '../store/database/pglite/open-pglite.ts'
import { openPostgres } from '../store/database/postgres/open-postgres.ts'
import { joinProcesses } from '../store/database/postgres/processes/join-processes.ts'
import { chooseProviders } from './choose-providers.ts'
import type { Config } from './config.ts'
import { type OpenLog, openLog } from './log.ts'
import { version } from './product-folder.ts'
import { systemClock } from './system-clock.ts'

/** The product with its data open: what every verb that touches data works on. */
export interface Product extends OpenData {
  readonly config: Config
  readonly execution: Execution
  readonly owner: Scope
  /** Ends streams and feed, then lets go of the data. A second call returns the first one's promise. */
  close(): Promise<void>
}

/** Where the data is; `sync` says what the embedded database guarantees, null for PostgreSQL. */
export interface Storage {
  kind: Database['kind']
  directory: string | null
  sync: DiskSyncReport | null
  /** Whether signals of other processes arrive; the embedded database has no other processes. */
  hearsOthers(): boolean
}

/**
 * The only place where adapters meet execution: opens the data, finds the providers, and makes sure that there is an
 * org with an owner.
 *
 * @param purpose what this process does, for whoever finds the data directory locked.
 * @throws DomainError `data_dir_locked`, `database_unavailable`, `invalid_settings`.
 */
export async function openProduct(config: Config, purpose: string): Promise<Product> {
  const finding = chooseProviders(config)
  const data = await openData(config, purpose)
  try {
    const execution = createExecution({
      database: data.database,
      clock: systemClock,
      log: data.log,
      providers: await finding,
      settings: executionSettings(config),
      version,
    })
    const telemetry = await openTelemetry({ environment: process.env, version, log: data.log })
    if (telemetry) execution.watch.onRun(telemetry.onRun)
    const owner = await ensureOwner(execution)
    let closed: Promise<void> | undefined
    const close = async (): Promise<void> => {
      await closeExecution(execution)
      // What is left is sent beside the closing of the data, which no collector may hold up.
      await Promise.all([data.close(), telemetry?.close(Math.min(telemetryMs, config.drainMs / 4))])
    }
    return {
      ...data,
      config,
      execution,
      owner,
      close: () => {
        closed ??= close()
        return closed
      },
    }
  } catch (error) {
    await data.close()
    throw error
  }
}

/** How long the last traces may take at an end. */
const telemetryMs = 2_000

/** The database of this version's schema, and where what happens is written down. */
export interface OpenData {
  readonly database: Database
  readonly storage: Storage
  readonly migration: MigrationReport
  readonly log: OpenLog
  close(): Promise<void>
}

/** Opens the database and brings it to this version's schema; adds nothing to it, so that `restore` finds it empty. */
export async function openData(config: Config, purpose: string): Promise<OpenData> {
  const log = openLog(config, version)
  const { database, storage } = await openDatabase(config, purpose, log)
  const close = async (): Promise<void> => {
    await database.close()
    log.flush()
  }
  try {
    const migration = await migrate(database)
    if (migration.mendedEvents > 0)
      log.warn({ events: migration.mendedEvents }, 'events of another database mended')
    return { database, storage, migration, log, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The embedded database's folder; its lock stands beside it. */
export function databaseFolder({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'pglite')
}

async function openDatabase(
  config: Config,
  purpose: string,
  log: Log,
): Promise<{ database: Database; storage: Storage }> {
  if (config.databaseUrl !== null) {
    const own = await openPostgres({ url: config.databaseUrl })
    try {
      const { databaseUrl: url, pollMs } = config
      const database = await joinProcesses(own, { url, log, pollMs })
      if (!database.hearsOthers())
        log.warn(
          { pollMs },
          'signals of other processes do not arrive, so this one polls: is there a pooler between?',
        )
      const { hearsOthers } = database
      return { database, storage: { kind: 'postgres', directory: null, sync: null, hearsOthers } }
    } catch (error) {
      await own.close()
      throw error
    }
  }
  const directory = databaseFolder(config)
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  const { database, ...sync } = await openPglite({ directory, diskSync: config.diskSync, purpose })
  return { database, storage: { kind: 'pglite', directory, sync, hearsOthers: () => true } }
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
