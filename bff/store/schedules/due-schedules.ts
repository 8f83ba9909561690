import { sql } from 'drizzle-orm'
import type { Queryable, Tx } from '../database/database.ts'
import { sqlArray } from '../database/sql-values.ts'
import { moment } from '../jobs/transition.ts'
import { type ScheduleRow, scheduleColumns } from './schedule-row.ts'

/** When the earliest schedule is due, of those after `after` where that is given; null when none is. */
export async function nextScheduleAt(queryable: Queryable, after: Date | null): Promise<Date | null> {
  const behind = after ? sql`and next_at > ${moment(after)}` : sql``
  const [row] = await queryable.rows<{ at: Date | null }>(
    sql`select min(next_at) as at from schedule where paused_at is null and next_at is not null ${behind}`,
  )
  return row?.at ?? null
}

/**
 * The schedule that is due longest, locked until the transaction ends; null when none is, or others hold those that are.
 *
 * @param skipped ids to leave alone.
 */
export async function lockDueSchedule(
  tx: Tx,
  now: Date,
  skipped: readonly string[],
): Promise<ScheduleRow | null> {
  const [row] = await tx.rows<ScheduleRow>(sql`
    select ${scheduleColumns} from schedule
    where paused_at is null and next_at is not null and next_at <= ${moment(now)}
      and id <> all(${sqlArray(skipped, 'uuid')})
    order by next_at limit 1 for update skip locked`)
  return row ?? null
}
