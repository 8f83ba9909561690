import { sql } from 'drizzle-orm'
import type { Database } from '../database/database.ts'
import { openInMemory } from '../database/pglite/open-pglite.ts'
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

/**
 * Deleting few rows is many times faster than TRUNCATE, which makes new files for every table and index. Foreign keys
 * are not looked at meanwhile (hence a superuser, as in all test databases), so any order will do.
 */
export async function truncateAll(database: Database): Promise<void> {
  await database.rows(sql`
    do $$
    declare name text;
    begin
      perform set_config('session_replication_role', 'replica', true);
      for name in select tablename from pg_tables where schemaname = 'public' and tablename <> 'meta' loop
        execute format('delete from public.%I', name);
      end loop;
      for name in select sequencename from pg_sequences where schemaname = 'public' and last_value is not null loop
        perform setval(format('public.%I', name)::regclass, 1, false);
      end loop;
    end $$`)
}
