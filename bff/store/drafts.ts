import { sql } from 'drizzle-orm'
import type { Queryable } from './database/database.ts'
import { heldBy, moment } from './jobs/transition.ts'

export interface DraftChunk {
  claim: { jobId: string; token: string }
  run: number
  /** Counts the chunks of this run from 0. */
  seq: number
  text: string
}

/**
 * Appends text received so far of a running attempt, under the fence; the row lock makes a settle or cancel that comes
 * meanwhile wait, so that no draft is left behind it.
 * @returns false when the claim is lost; nothing is written then.
 */
export async function appendDraft(queryable: Queryable, chunk: DraftChunk, now: Date): Promise<boolean> {
  const rows = await queryable.rows<{ seq: number }>(sql`
    with held as (select id from job where ${heldBy(chunk.claim)} for update)
    insert into draft (job_id, run, seq, text, at)
    select id, ${chunk.run}::int, ${chunk.seq}::int, ${chunk.text}, ${moment(now)} from held
    on conflict do nothing returning seq`)
  return rows.length > 0
}
