import { sql } from 'drizzle-orm'
import type { Queryable } from '../database/database.ts'
import { sqlArray } from '../database/sql-values.ts'
import { moment } from './transition.ts'

/**
 * The sign of life of every claim a worker holds, in one statement.
 *
 * @returns the tokens that still hold; a claim that is missing is lost: stop, discard, write nothing.
 */
export async function beat(queryable: Queryable, tokens: readonly string[], now: Date): Promise<Set<string>> {
  const rows = await queryable.rows<{ token: string }>(sql`
    update job set running_heartbeat_at = ${moment(now)}
    where state = 'running' and worker_claim = any(${sqlArray(tokens, 'text')})
    returning worker_claim as token`)
  return new Set(rows.map((row) => row.token))
}
