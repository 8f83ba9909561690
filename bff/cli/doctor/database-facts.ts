import { sql } from 'drizzle-orm'
import type { Database } from '../../store/database/database.ts'

export interface DatabaseFacts {
  /** Such as `PostgreSQL 15.14` or `PGlite (PostgreSQL 18.6)`. */
  name: string
  fsync: boolean
  synchronousCommit: string
}

/** What the database says of itself. On PGlite `fsync` is no proof (`disk-sync.ts`); the report of its opening is. */
export async function databaseFacts(database: Database): Promise<DatabaseFacts> {
  const [row] = await database.rows<{ version: string; fsync: string; commits: string }>(sql`
    select split_part(current_setting('server_version'), ' ', 1) as version,
      current_setting('fsync') as fsync, current_setting('synchronous_commit') as commits`)
  if (!row) throw new Error('the database says nothing of itself')
  const postgres = `PostgreSQL ${row.version}`
  return {
    name: database.kind === 'pglite' ? `PGlite (${postgres})` : postgres,
    fsync: row.fsync === 'on',
    synchronousCommit: row.commits,
  }
}
