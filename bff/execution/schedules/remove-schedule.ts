import { notFound } from '../../domain/errors.ts'
import { deleteSchedule } from '../../store/schedules/write-schedule.ts'
import type { Execution, Scope } from '../context.ts'

/** Ends a recurring prompt; the prompts it made stay, one that waits included. @throws DomainError `not_found`. */
export async function removeSchedule(execution: Execution, scope: Scope, scheduleId: string): Promise<void> {
  const isGone = await execution.database.transaction((tx) => deleteSchedule(tx, scope, scheduleId))
  if (!isGone) throw notFound('schedule')
  execution.log.info({ schedule_id: scheduleId }, 'schedule removed')
}
