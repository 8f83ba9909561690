import { sql } from 'drizzle-orm'
import type { Queryable } from './database.ts'

/**
 * Lets the planner see how large the tables have become; every statement that was planned before is planned anew when it
 * is next run, on every connection.
 *
 * @param unlessRows where so many prompts and answers were seen before nothing is done: the plans know large tables already.
 * @returns whether statistics were gathered.
 */
export async function gatherStatistics(queryable: Queryable, unlessRows: number): Promise<boolean> {
  const [known] = await queryable.rows<{ rows: number }>(
    sql`select reltuples::float8 as rows from pg_class where oid = 'entity'::regclass`,
  )
  if (!known || known.rows >= unlessRows) return false
  await queryable.rows(sql`analyze entity, job, event, edge, thread, ledger`)
  return true
}
