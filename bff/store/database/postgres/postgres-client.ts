import postgres from 'postgres'
import { DomainError } from '../../../domain/errors.ts'
import { planning } from '../planning.ts'
import { rowParsers } from '../row-values.ts'

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database?sslmode=require`; it never appears in an error or a log. */
  url: string
  /**
   * Named prepared statements, and settings of the session. Off behind a pooler in transaction mode, which mixes up
   * sessions. Default true.
   */
  prepare?: boolean
  /**
   * How long a transaction may sit idle before the server ends it: an open writer holds back every cursor. Default
   * 60,000. Not sent when 0, nor without `prepare`: poolers refuse the setting, so set it on the role there.
   */
  idleInTransactionMs?: number
  /** Default 10,000. */
  connectTimeoutMs?: number
  /** As `pg_stat_activity` shows it. */
  applicationName?: string
}

export interface ConnectionWatch {
  /** The server let us in; called several times for each connection. */
  onOpen(): void
  /** A connection that was open has closed. */
  onLost(): void
}

export const defaultConnectTimeoutMs = 10_000

/**
 * One connection to PostgreSQL, made when first used and again after a loss. It has no life span of its own: postgres.js
 * would end it between two statements of a transaction that it does not know of. `fetch_types` would run a query at each
 * connect; `rowParsers` names the types instead.
 *
 * @throws DomainError `database_unavailable` when the URL is not one.
 */
export function postgresClient(options: PostgresOptions, watch: ConnectionWatch): postgres.Sql {
  assertPostgresUrl(options.url)
  const prepare = options.prepare ?? true
  const idleMs = options.idleInTransactionMs ?? 60_000
  const client = postgres(options.url, {
    max: 1,
    prepare,
    fetch_types: false,
    max_lifetime: null,
    idle_timeout: 0,
    connect_timeout: (options.connectTimeoutMs ?? defaultConnectTimeoutMs) / 1000,
    onnotice: () => {},
    onparameter: watch.onOpen,
    onclose: watch.onLost,
    connection: {
      application_name: options.applicationName ?? 'mission-field',
      TimeZone: 'UTC',
      ...(prepare && idleMs > 0 ? { idle_in_transaction_session_timeout: idleMs } : {}),
      ...(prepare ? planning : {}),
    },
  })
  Object.assign(client.options.parsers, rowParsers)
  // Parameters arrive as PostgreSQL's own text; left alone, postgres.js would stringify JSON a second time.
  for (const type of Object.keys(client.options.serializers)) {
    client.options.serializers[Number(type)] = String
  }
  return client
}

/** What went wrong with the connection, in one plain line that holds neither URL nor password. */
export function connectionProblem(error: unknown): DomainError {
  if (error instanceof DomainError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const fromServer = /^[0-9A-Z]{5}$/.test(code) && error instanceof Error
  return new DomainError(
    'database_unavailable',
    fromServer
      ? `The database refused the connection: ${error.message}.`
      : `The database cannot be reached${code ? ` (${code})` : ''}.`,
  )
}

/** SQLSTATEs that end or refuse the connection rather than a statement. */
export function isConnectionState(sqlState: string): boolean {
  return /^(08|28|57P0|53300|3D000|25P03)/.test(sqlState)
}

function assertPostgresUrl(url: string): void {
  const isPostgres = URL.canParse(url) && /^postgres(ql)?:$/.test(new URL(url).protocol)
  if (!isPostgres) {
    throw new DomainError(
      'database_unavailable',
      'DATABASE_URL is not of the form postgres://user:password@host:port/database.',
    )
  }
}
