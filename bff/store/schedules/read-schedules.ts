import { sql } from 'drizzle-orm'
import type { Queryable, Tx } from '../database/database.ts'
import { type ScheduleRow, scheduleColumns } from './schedule-row.ts'

interface Owner {
  orgId: string
  personId: string
}

/** The end of the year 9999, where what has no next time stands in the order. */
export const neverAt = new Date(Date.UTC(9999, 11, 31, 23, 59, 59, 999))

/** One's own schedules, the next one first, those without a next time last; `after` goes on behind one of an earlier page. */
export async function readSchedules(
  queryable: Queryable,
  owner: Owner,
  page: { after: { nextAt: Date; id: string } | null; limit: number },
): Promise<ScheduleRow[]> {
  const { after } = page
  const behind = after
    ? sql`and (coalesce(next_at, ${neverAt}::timestamptz), id) > (${after.nextAt}::timestamptz, ${after.id}::uuid)`
    : sql``
  return queryable.rows<ScheduleRow>(sql`
    select ${scheduleColumns} from schedule
    where org_id = ${owner.orgId}::uuid and created_by = ${owner.personId}::uuid ${behind}
    order by coalesce(next_at, ${neverAt}::timestamptz), id limit ${page.limit}::int`)
}

/** One's own schedule, locked until the transaction ends; null when there is none. */
export async function lockOwnSchedule(tx: Tx, owner: Owner, id: string): Promise<ScheduleRow | null> {
  const [row] = await tx.rows<ScheduleRow>(sql`
    select ${scheduleColumns} from schedule
    where id = ${id}::uuid and org_id = ${owner.orgId}::uuid and created_by = ${owner.personId}::uuid for update`)
  return row ?? null
}
