import { randomBytes } from 'node:crypto'
import { sql } from 'drizzle-orm'
import type { Database } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'
import { nestingGuard } from '../database/nesting-guard.ts'
import { openPostgres } from '../database/postgres/open-postgres.ts'
import { migrationsHash } from './pglite-template.ts'
import { type TestDatabase, truncateAll } from './test-database.ts'

export interface TestPostgres extends TestDatabase {
  /** Of the scratch database, for a second process or pool. */
  readonly url: string
}

/**
 * A migrated scratch database for one test file, on the server of TEST_DATABASE_URL, cloned from a template there;
 * `close` drops it.
 *
 * @throws Error unless that URL's database name ends in `_test`: nobody's real data is near then.
 */
export async function testPostgres(): Promise<TestPostgres> {
  const serverUrl = testDatabaseUrl(process.env.TEST_DATABASE_URL)
  const server = await openPostgres({ url: serverUrl, connectionsMax: 1 })
  const name = `mission_${randomBytes(6).toString('hex')}_test`
  const template = await ensureTemplate(server, serverUrl)
  await server.rows(sql.raw(`create database ${name} template ${template}`))
  const url = urlOf(serverUrl, name)
  const database = await openPostgres({ url, guard: nestingGuard() })
  return {
    url,
    database,
    truncate: () => truncateAll(database),
    async close() {
      await database.close()
      await server.rows(sql.raw(`drop database ${name} with (force)`))
      await server.close()
    },
  }
}

/** @throws Error naming the variable when it is absent, or names a database that may hold somebody's data. */
export function testDatabaseUrl(value: string | undefined): string {
  if (!value || !URL.canParse(value)) throw new Error('TEST_DATABASE_URL must be set to a PostgreSQL URL')
  if (!new URL(value).pathname.endsWith('_test')) {
    throw new Error('TEST_DATABASE_URL must name a database that ends in _test')
  }
  return value
}

/** The lock makes test files that start together build it once; the name holds the state of the migrations. */
async function ensureTemplate(server: Database, serverUrl: string): Promise<string> {
  const name = `mission_template_${migrationsHash()}_test`
  await server.rows(sql`select pg_advisory_lock(${templateLock}::bigint)`)
  try {
    const [known] = await server.rows(sql`select from pg_database where datname = ${name}`)
    if (!known) await makeTemplate(server, serverUrl, name)
  } finally {
    await server.rows(sql`select pg_advisory_unlock(${templateLock}::bigint)`)
  }
  return name
}

const templateLock = 7_410_000_099

async function makeTemplate(server: Database, serverUrl: string, name: string): Promise<void> {
  const draft = `mission_${randomBytes(6).toString('hex')}_test`
  await server.rows(sql.raw(`create database ${draft}`))
  const database = await openPostgres({ url: urlOf(serverUrl, draft), connectionsMax: 1 })
  await migrate(database)
  await database.close()
  // Renamed only once it is whole: a killed test run leaves no half template behind.
  await server.rows(sql.raw(`alter database ${draft} rename to ${name}`))
}

function urlOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  return url.href
}
