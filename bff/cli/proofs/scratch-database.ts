import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { DomainError } from '../../domain/errors.ts'
import type { Database } from '../../store/database/database.ts'
import { migrate } from '../../store/database/migrate.ts'
import { openPglite } from '../../store/database/pglite/open-pglite.ts'
import { openPostgres } from '../../store/database/postgres/open-postgres.ts'
import { StatementError } from '../../store/database/statement-error.ts'

/** A migrated, empty database that is nobody's data. */
export interface Scratch {
  readonly database: Database
  /** Closes it and leaves nothing of it. */
  drop(): Promise<void>
}

/**
 * Beside the data, never in it: the embedded database in a temporary folder, or on the server of `databaseUrl` a
 * database of its own whose name ends in `_test`.
 *
 * @throws DomainError `database_unavailable` when it cannot be made.
 */
export async function openScratch(databaseUrl: string | null): Promise<Scratch> {
  const scratch = databaseUrl === null ? await inTemporaryFolder() : await onServer(databaseUrl)
  try {
    await migrate(scratch.database)
    return scratch
  } catch (error) {
    await scratch.drop()
    throw error
  }
}

async function inTemporaryFolder(): Promise<Scratch> {
  const folder = mkdtempSync(join(tmpdir(), 'mission-proof-'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  try {
    const options = { directory: join(folder, 'pglite'), diskSync: false, purpose: 'runs mission proof' }
    const { database } = await openPglite(options)
    return { database, drop: () => database.close().finally(remove) }
  } catch (error) {
    remove()
    throw error
  }
}

async function onServer(databaseUrl: string): Promise<Scratch> {
  const server = await openPostgres({ url: databaseUrl, connectionsMax: 1 })
  const name = `mission_proof_${randomBytes(6).toString('hex')}_test`
  try {
    await server.rows(sql.raw(`create database ${name}`))
  } catch (error) {
    await server.close()
    if (!(error instanceof StatementError)) throw error
    throw new DomainError(
      'database_unavailable',
      `DATABASE_URL: a scratch database cannot be made on that server (${error.message}); proofs need the right to make one.`,
      {},
      { cause: error },
    )
  }
  const dropDatabase = async (): Promise<void> => {
    try {
      await server.rows(sql.raw(`drop database if exists ${name} with (force)`))
    } finally {
      await server.close()
    }
  }
  try {
    const database = await openPostgres({ url: urlOf(databaseUrl, name) })
    return { database, drop: () => database.close().finally(dropDatabase) }
  } catch (error) {
    await dropDatabase()
    throw error
  }
}

function urlOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  return url.href
}
