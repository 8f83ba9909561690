import { sql } from 'drizzle-orm'
import type { Database } from '../../store/database/database.ts'

/** Who claimed a run of a job, by the process's id, and when, in ms of the machine's clock. */
export interface Claim {
  pid: number
  atMs: number
}

/** @throws Error when that run was not claimed yet. */
export async function claimOf(database: Database, jobId: string, run: number): Promise<Claim> {
  const [event] = await database.rows<{ at: Date; worker: string }>(sql`
    select at, data ->> 'actor' as worker from event
    where job_id = ${jobId}::uuid and run = ${run}::int and kind = 'job-claimed'`)
  if (!event) throw new Error(`run ${run} of job ${jobId} was never claimed`)
  return { pid: Number(event.worker.split(':').at(-1)), atMs: event.at.getTime() }
}
