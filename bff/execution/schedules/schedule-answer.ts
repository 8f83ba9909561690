import type { Schedule } from '../../../shared/contracts/schedules.ts'
import type { ScheduleRow } from '../../store/schedules/schedule-row.ts'

/** A stored schedule as the contract has it. */
export function scheduleAnswer(row: ScheduleRow): Schedule {
  return {
    id: row.id,
    name: row.name,
    cron: row.cron,
    time_zone: row.zone,
    text: row.request.text,
    options: row.request.options,
    thread_id: row.thread_id,
    paused: row.paused_at !== null,
    next_at: row.next_at?.toISOString() ?? null,
    last_at: row.last_at?.toISOString() ?? null,
    last_prompt_id: row.last_prompt_id,
    created_at: row.created_at.toISOString(),
  }
}
