import { sql } from 'drizzle-orm'
import type { Database } from '../database/database.ts'
import { openInMemory } from '../database/open-pglite.ts'
import { pgliteTemplate } from './pglite-template.ts'

/** A migrated database of its own for one test file: `truncate` in `beforeEach`, `close` in `afterAll`. */
export interface TestDatabase {
  readonly database: Database
  /** Empties every table but `meta` and restarts its sequences. */
  truncate(): Promise<void>
  close(): Promise<void>
}

/** In memory, on PGlite, from a dump that test processes share. */
export async function testDatabase(): Promise<TestDatabase> {
  const { database } = await openInMemory({ from: await pgliteTemplate() })
  return { database, truncate: () => truncateAll(database), close: () => database.close() }
}

export async function truncateAll(database: Database): Promise<void> {
  const tables = await database.rows<{ name: string }>(
    sql`select quote_ident(tablename) as name from pg_tables where schemaname = 'public' and tablename <> 'meta'`,
  )
  await database.rows(sql.raw(`truncate ${tables.map(({ name }) => name).join(', ')} restart identity`))
}
