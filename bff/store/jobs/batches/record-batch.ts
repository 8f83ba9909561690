import { sql } from 'drizzle-orm'
import type { Tx } from '../../database/database.ts'
import { moment } from '../transition.ts'

/**
 * Remembers a bulk request as a whole. Sent again after some of its lines had been refused, it may bring more prompts:
 * they are added. The row is locked until the transaction ends, so that the same request sent twice at once goes through
 * one after the other.
 */
export async function recordBatch(
  tx: Tx,
  batch: { id: string; orgId: string; personId: string; added: number; now: Date },
): Promise<void> {
  await tx.rows(sql`
    insert into batch (id, org_id, created_by, total, created_at)
    values (${batch.id}::uuid, ${batch.orgId}::uuid, ${batch.personId}::uuid, ${batch.added}::int, ${moment(batch.now)})
    on conflict (id) do update set total = batch.total + excluded.total`)
}
