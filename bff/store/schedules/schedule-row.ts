import { sql } from 'drizzle-orm'
import type { SubmitOptions } from '../../../shared/submit.ts'

/** A recurring prompt as it is stored. */
export interface ScheduleRow {
  id: string
  org_id: string
  created_by: string
  name: string
  cron: string
  zone: string
  request: ScheduledRequest
  thread_id: string | null
  /** Null while it is paused, and when it never comes again. */
  next_at: Date | null
  last_at: Date | null
  last_prompt_id: string | null
  paused_at: Date | null
  created_at: Date
}

/** What each run asks. */
export interface ScheduledRequest {
  text: string
  options: SubmitOptions
  /** Its thread was started by its own runs, not named by a person. */
  own_thread: boolean
}

export const scheduleColumns = sql.raw(
  'id, org_id, created_by, name, cron, zone, request, thread_id, next_at, last_at, last_prompt_id, paused_at, created_at',
)
