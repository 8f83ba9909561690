import { fileURLToPath } from 'node:url'
import { sql } from 'drizzle-orm'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { DomainError } from '../../domain/errors.ts'
import type { Database, Tx } from './database.ts'
import { type MetaReport, prepareMeta } from './meta.ts'

export interface MigrationReport extends MetaReport {
  /** How many migrations this call applied. */
  applied: number
}

/** Beside the sources and, by `bff/copy-assets.mjs`, beside the built files. */
export const migrationsFolder = fileURLToPath(new URL('../migrations', import.meta.url))

/**
 * Brings the database to this version's schema, all or nothing, and prepares its `meta` rows. Processes that start
 * together wait for one another. The journal is drizzle's own table, so drizzle-kit understands it too.
 *
 * @throws DomainError `database_unavailable` when a newer version has migrated it: there is no way back but `restore`.
 */
export async function migrate(database: Database, folder = migrationsFolder): Promise<MigrationReport> {
  const migrations = readMigrationFiles({ migrationsFolder: folder })
  const applied = await database.transaction(async (tx) => {
    // PostgreSQL lets two sessions create the same schema "if not exists" and fails one of them.
    await tx.rows(sql`select pg_advisory_xact_lock(${advisoryLock}::bigint)`)
    const last = await lastApplied(tx)
    const newest = Math.max(0, ...migrations.map((migration) => migration.folderMillis))
    if (last > newest) {
      throw new DomainError(
        'database_unavailable',
        'A newer version of Mission Field has used this database.',
      )
    }
    const missing = migrations.filter((migration) => migration.folderMillis > last)
    for (const migration of missing) {
      for (const statement of migration.sql) await tx.rows(sql.raw(statement))
      await tx.rows(
        sql`insert into drizzle.__drizzle_migrations (hash, created_at)
            values (${migration.hash}, ${migration.folderMillis})`,
      )
    }
    return missing.length
  })
  return { applied, ...(await prepareMeta(database)) }
}

/** Any number will do that nothing else locks; duties use their own. */
const advisoryLock = 7_410_000_001

async function lastApplied(tx: Tx): Promise<number> {
  await tx.rows(sql`create schema if not exists drizzle`)
  await tx.rows(
    sql`create table if not exists drizzle.__drizzle_migrations (
          id serial primary key, hash text not null, created_at bigint)`,
  )
  const [last] = await tx.rows<{ at: number | null }>(
    sql`select max(created_at) as at from drizzle.__drizzle_migrations`,
  )
  return last?.at ?? 0
}
