import { type SQL, sql } from 'drizzle-orm'
import { moment } from '../jobs/transition.ts'

/**
 * The condition on `job j` for one that could run now if it had a permit: due, not blocked, and its provider's gate
 * open, or itself the probe that is to reopen it. Nothing else ever gets a permit (DESIGN §6).
 */
export function readyWithoutPermit(now: Date): SQL {
  return sql`j.state = 'queued' and j.permit is null and j.blocked_by is null and j.available_at <= ${moment(now)}
    and ${gateLets(sql`j`)}`
}

/** Whether the gate of the provider of `job` lets it through; an open gate has no row. */
export function gateLets(job: SQL): SQL {
  return sql`not exists (
    select from provider_gate g where g.provider = ${job}.provider and g.probe_job_id is distinct from ${job}.id)`
}
