import { sql } from 'drizzle-orm'
import { DomainError } from '../../../domain/errors.ts'
import { createDatabase } from '../create-database.ts'
import type { Database } from '../database.ts'
import type { NestingGuard } from '../nesting-guard.ts'
import { planning } from '../planning.ts'
import type { Signals } from '../signals.ts'
import type { PostgresOptions } from './postgres-client.ts'
import { postgresDriver } from './postgres-driver.ts'

export interface OpenPostgresOptions extends PostgresOptions {
  /** Connections at most; they are opened when first needed. Default 10. */
  connectionsMax?: number
  /**
   * The signals of this process. Whoever joins several processes hands in its own: one that also sends NOTIFY when
   * it publishes, and publishes what a LISTEN connection hears. That connection is its own `postgresClient`, on a
   * direct URL where `url` leads through a pooler.
   */
  signals?: Signals
  /** Tests bring one. */
  guard?: NestingGuard
}

/**
 * Behind a pooler in transaction mode, whose connections come with other sessions' settings and without our prepared
 * statements, it goes without both: slower, and right.
 *
 * @throws DomainError `database_unavailable`: not reachable, not let in, too old, or not a PostgreSQL URL.
 */
export async function openPostgres(options: OpenPostgresOptions): Promise<Database> {
  if (options.prepare !== undefined) return (await tryOpen(options)).database
  try {
    const { database, isOurSession } = await tryOpen(options)
    if (isOurSession) return database
    await database.close()
  } catch (error) {
    if (!(error instanceof DomainError && error.message.includes(poolersRefusal))) throw error
  }
  return (await tryOpen({ ...options, prepare: false })).database
}

/** `isOurSession`: whether the settings of the connection arrived at the server. */
async function tryOpen(options: OpenPostgresOptions): Promise<{ database: Database; isOurSession: boolean }> {
  const database = createDatabase(postgresDriver(options, options.connectionsMax ?? 10), options)
  try {
    const [server] = await database.rows<{ version: number; planning: string }>(
      sql`select current_setting('server_version_num')::int as version, current_setting('plan_cache_mode') as planning`,
    )
    if (!server || server.version < oldestVersion) {
      throw new DomainError('database_unavailable', 'PostgreSQL 14 or newer is needed.')
    }
    return { database, isOurSession: server.planning === planning.plan_cache_mode }
  } catch (error) {
    await database.close()
    throw error
  }
}

const oldestVersion = 140_000

/** PgBouncer's words, for which it has no code of its own. */
const poolersRefusal = 'unsupported startup parameter'
