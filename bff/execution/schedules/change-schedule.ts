import type * as z from 'zod/mini'
import type { Schedule, schedulePatch } from '../../../shared/contracts/schedules.ts'
import { notFound } from '../../domain/errors.ts'
import { lockOwnSchedule } from '../../store/schedules/read-schedules.ts'
import type { ScheduleRow } from '../../store/schedules/schedule-row.ts'
import { updateSchedule } from '../../store/schedules/write-schedule.ts'
import type { Execution, Scope } from '../context.ts'
import { checkRequest } from './check-request.ts'
import { recurrenceOf } from './recurrence.ts'
import { scheduleAnswer } from './schedule-answer.ts'

type SchedulePatch = z.infer<typeof schedulePatch>

/**
 * Changes, pauses or resumes a recurring prompt. `options` replaces all of them. A new timing, and a resumed schedule,
 * count from now: what was planned and has not run by then is left out.
 *
 * @throws DomainError `not_found`; `invalid_request` as `makeSchedule`.
 */
export async function changeSchedule(
  execution: Execution,
  scope: Scope,
  scheduleId: string,
  patch: SchedulePatch,
): Promise<Schedule> {
  const now = execution.clock.now()
  const row = await execution.database.transaction(async (tx) => {
    const stored = await lockOwnSchedule(tx, scope, scheduleId)
    if (!stored) throw notFound('schedule')
    const { text = stored.request.text, options = stored.request.options } = patch
    if (patch.text !== undefined || patch.options !== undefined) {
      checkRequest(execution, scope, { text, options })
    }
    const changed: ScheduleRow = {
      ...stored,
      ...timingAfter(stored, patch, now),
      name: patch.name ?? stored.name,
      request: { ...stored.request, text, options },
    }
    await updateSchedule(tx, changed)
    return changed
  })
  execution.log.info(
    { schedule_id: row.id, next_at: row.next_at, paused: row.paused_at !== null },
    'schedule changed',
  )
  return scheduleAnswer(row)
}

function timingAfter(
  stored: ScheduleRow,
  patch: SchedulePatch,
  now: Date,
): Pick<ScheduleRow, 'cron' | 'zone' | 'next_at' | 'paused_at'> {
  const { cron, zone, next_at, paused_at } = stored
  const isTimingNew = patch.cron !== undefined || patch.time_zone !== undefined
  const isPaused = patch.paused ?? paused_at !== null
  const isResumed = paused_at !== null && !isPaused
  if (!isTimingNew && !isResumed) {
    return { cron, zone, next_at: isPaused ? null : next_at, paused_at: isPaused ? (paused_at ?? now) : null }
  }
  const recurrence = recurrenceOf({ cron: patch.cron ?? cron, time_zone: patch.time_zone ?? zone }, now)
  return {
    cron: recurrence.cron,
    zone: recurrence.timeZone,
    next_at: isPaused ? null : recurrence.next(now),
    paused_at: isPaused ? (paused_at ?? now) : null,
  }
}
