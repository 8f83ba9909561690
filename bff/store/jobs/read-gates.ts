import { sql } from 'drizzle-orm'
import type { Queryable } from '../database/database.ts'

/** A provider that takes no calls. */
export interface Gate {
  provider: string
  closedUntil: Date
  /** The one job that may call it to find out, once the time has come. */
  probeJobId: string | null
}

/** The gates that are closed, by provider; an open one has no row. */
export async function readGates(queryable: Queryable): Promise<Gate[]> {
  return queryable.rows<Gate>(sql`
    select provider, closed_until as "closedUntil", probe_job_id as "probeJobId"
    from provider_gate order by provider`)
}
