import { sql } from 'drizzle-orm'
import type * as z from 'zod/mini'
import type { Schedule, scheduleRequest } from '../../../../shared/contracts/schedules.ts'
import type { PromptView } from '../../../../shared/prompt-view.ts'
import type { Scope } from '../../context.ts'
import { readPrompt } from '../../observe/read-prompt.ts'
import type { TestExecution } from '../../testing/test-execution.ts'
import { listSchedules } from '../list-schedules.ts'
import { makeSchedule } from '../make-schedule.ts'

/** What tests of schedules do again and again, for one person. */
export function scheduleKit(test: TestExecution, me: Scope) {
  const { execution } = test
  return {
    make: (more: Partial<z.infer<typeof scheduleRequest>> = {}): Promise<Schedule> =>
      makeSchedule(execution, me, {
        name: 'Morning report',
        cron: '0 9 * * *',
        time_zone: 'Asia/Tokyo',
        text: 'What happened?',
        ...more,
      }),

    /** One's first schedule. */
    async schedule(): Promise<Schedule> {
      const [schedule] = (await listSchedules(execution, me, {})).schedules
      if (!schedule) throw new Error('there is no schedule')
      return schedule
    },

    view: async (promptId: string): Promise<PromptView> => (await readPrompt(execution, me, promptId)).view,

    /** All prompts that schedules made, the oldest first. */
    async runs(): Promise<PromptView[]> {
      const rows = await execution.database.rows<{ id: string }>(
        sql`select prompt_id as id from job where schedule_id is not null order by created_at, id`,
      )
      return Promise.all(rows.map(async ({ id }) => (await readPrompt(execution, me, id)).view))
    },

    /** What the events say of each run as it was queued. */
    async queuedEvents(): Promise<Record<string, unknown>[]> {
      const rows = await execution.database.rows<{ data: Record<string, unknown> }>(
        sql`select data from event where kind = 'job-queued' and data ? 'schedule_id' order by seq`,
      )
      return rows.map(({ data }) => data)
    },
  }
}
