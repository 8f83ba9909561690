import { sql } from 'drizzle-orm'
import type { Tx } from '../database/database.ts'
import { sqlJson } from '../database/sql-values.ts'
import type { ScheduleRow } from './schedule-row.ts'

export async function insertSchedule(tx: Tx, row: ScheduleRow): Promise<void> {
  await tx.rows(sql`
    insert into schedule (id, org_id, created_by, name, cron, zone, request, thread_id, next_at, created_at)
    values (${row.id}::uuid, ${row.org_id}::uuid, ${row.created_by}::uuid, ${row.name}, ${row.cron}, ${row.zone},
            ${sqlJson(row.request)}, ${row.thread_id}::uuid, ${row.next_at}::timestamptz, ${row.created_at}::timestamptz)`)
  tx.signal({ topic: 'schedules' })
}

/** Writes what a person may change of a schedule that this transaction has locked. */
export async function updateSchedule(tx: Tx, row: ScheduleRow): Promise<void> {
  await tx.rows(sql`
    update schedule set name = ${row.name}, cron = ${row.cron}, zone = ${row.zone}, request = ${sqlJson(row.request)},
      next_at = ${row.next_at}::timestamptz, paused_at = ${row.paused_at}::timestamptz
    where id = ${row.id}::uuid`)
  tx.signal({ topic: 'schedules' })
}

/** Writes what a run changes of a schedule that this transaction has locked. */
export async function recordScheduleRun(tx: Tx, row: ScheduleRow): Promise<void> {
  await tx.rows(sql`
    update schedule set thread_id = ${row.thread_id}::uuid, next_at = ${row.next_at}::timestamptz,
      last_at = ${row.last_at}::timestamptz, last_prompt_id = ${row.last_prompt_id}::uuid,
      paused_at = ${row.paused_at}::timestamptz
    where id = ${row.id}::uuid`)
}

/** @returns whether it was there, and one's own. */
export async function deleteSchedule(
  tx: Tx,
  owner: { orgId: string; personId: string },
  id: string,
): Promise<boolean> {
  const rows = await tx.rows(sql`
    delete from schedule
    where id = ${id}::uuid and org_id = ${owner.orgId}::uuid and created_by = ${owner.personId}::uuid returning id`)
  if (rows.length > 0) tx.signal({ topic: 'schedules' })
  return rows.length > 0
}
