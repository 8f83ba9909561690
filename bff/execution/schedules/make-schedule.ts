import { v7 as uuidV7 } from 'uuid'
import type * as z from 'zod/mini'
import type { Schedule, scheduleRequest } from '../../../shared/contracts/schedules.ts'
import { DomainError, invalidField } from '../../domain/errors.ts'
import { readPrompts } from '../../store/entities/read-prompts.ts'
import type { ScheduleRow } from '../../store/schedules/schedule-row.ts'
import { insertSchedule } from '../../store/schedules/write-schedule.ts'
import type { Execution, Scope } from '../context.ts'
import { checkRequest } from './check-request.ts'
import { recurrenceOf } from './recurrence.ts'
import { scheduleAnswer } from './schedule-answer.ts'

/**
 * Makes a recurring prompt. With `thread_id`, any prompt of a thread, its runs continue that thread, context and all;
 * without, the first run starts a thread, which is the schedule's from then on.
 *
 * @throws DomainError `invalid_request` naming `cron`, `time_zone`, `thread_id` or an option; `gone` for a deleted
 * thread; as `submitPrompt` does.
 */
export async function makeSchedule(
  execution: Execution,
  scope: Scope,
  request: z.infer<typeof scheduleRequest>,
): Promise<Schedule> {
  const now = execution.clock.now()
  const recurrence = recurrenceOf(request, now)
  const asked = { text: request.text, options: request.options ?? {} }
  checkRequest(execution, scope, asked)
  const threadId =
    request.thread_id === undefined ? null : await ownThread(execution, scope, request.thread_id)
  const row: ScheduleRow = {
    id: uuidV7(),
    org_id: scope.orgId,
    created_by: scope.personId,
    name: request.name,
    cron: recurrence.cron,
    zone: recurrence.timeZone,
    request: { ...asked, own_thread: threadId === null },
    thread_id: threadId,
    next_at: recurrence.next(now),
    last_at: null,
    last_prompt_id: null,
    paused_at: null,
    created_at: now,
  }
  await execution.database.transaction((tx) => insertSchedule(tx, row))
  execution.log.info({ schedule_id: row.id, next_at: row.next_at }, 'schedule made')
  return scheduleAnswer(row)
}

async function ownThread(execution: Execution, scope: Scope, id: string): Promise<string> {
  const [stored] = await readPrompts(execution.database, [id])
  if (!stored || stored.org_id !== scope.orgId || stored.created_by !== scope.personId) {
    throw invalidField('thread_id', 'names no thread of yours')
  }
  if (stored.state_class !== 'retracted') return stored.correlation_id
  throw new DomainError('gone', 'The thread to continue was deleted.', {
    errors: [{ field: 'thread_id', message: 'was deleted' }],
  })
}
