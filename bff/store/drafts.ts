import { sql } from 'drizzle-orm'
import type { Queryable, Tx } from './database/database.ts'
import { sqlArray } from './database/sql-values.ts'
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
 * meanwhile wait.
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

/**
 * Takes away the drafts of runs that this transaction has ended, in a statement of its own: the one that ended them waited
 * for the row lock of a chunk under way, and does not see what was committed while it waited.
 */
export async function clearDrafts(tx: Tx, jobIds: readonly string[]): Promise<void> {
  await tx.rows(sql`delete from draft where job_id = any(${sqlArray(jobIds, 'uuid')})`)
}
