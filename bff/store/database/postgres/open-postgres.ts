import { sql } from 'drizzle-orm'
import { DomainError } from '../../../domain/errors.ts'
import { createDatabase } from '../create-database.ts'
import type { Database } from '../database.ts'
import type { NestingGuard } from '../nesting-guard.ts'
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

/** @throws DomainError `database_unavailable`: not reachable, not let in, too old, or not a PostgreSQL URL. */
export async function openPostgres(options: OpenPostgresOptions): Promise<Database> {
  const database = createDatabase(postgresDriver(options, options.connectionsMax ?? 10), options)
  try {
    const [server] = await database.rows<{ version: number }>(
      sql`select current_setting('server_version_num')::int as version`,
    )
    if (!server || server.version < oldestVersion) {
      throw new DomainError('database_unavailable', 'PostgreSQL 14 or newer is needed.')
    }
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

const oldestVersion = 140_000
