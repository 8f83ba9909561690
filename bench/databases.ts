import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '../bff/store/database/database.ts'
import { migrate } from '../bff/store/database/migrate.ts'
import { openPglite } from '../bff/store/database/pglite/open-pglite.ts'
import { openPostgres } from '../bff/store/database/postgres/open-postgres.ts'
import { startPostgres } from '../bff/store/testing/start-postgres.ts'

/** Runs `work` on each database with syncing on, as in production, on scratch data. */
export async function onEachDatabase<T>(
  work: (database: Database) => Promise<T>,
): Promise<Record<string, T>> {
  return { 'PGlite, disk sync on': await onPglite(work), 'PostgreSQL, sync on': await onPostgres(work) }
}

async function onPglite<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'mission-bench-'))
  const opened = await openPglite({ directory: join(directory, 'pglite'), diskSync: true, purpose: 'bench' })
  if (opened.diskSync !== 'verified') console.warn(`disk sync is ${opened.diskSync}: ${opened.reason ?? ''}`)
  try {
    await migrate(opened.database)
    return await work(opened.database)
  } finally {
    await opened.database.close()
    await rm(directory, { recursive: true, force: true })
  }
}

async function onPostgres<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const server = await startPostgres({ fsync: true })
  try {
    const database = await openPostgres({ url: server.url })
    try {
      await migrate(database)
      return await work(database)
    } finally {
      await database.close()
    }
  } finally {
    await server.stop()
  }
}
