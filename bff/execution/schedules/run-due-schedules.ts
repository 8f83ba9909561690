import type { SubmitOptions } from '../../../shared/submit.ts'
import { DomainError } from '../../domain/errors.ts'
import type { Tx } from '../../store/database/database.ts'
import { newestLeaves } from '../../store/entities/read-prompts.ts'
import { insertPrompts, type NewPrompt, PredecessorMovedError } from '../../store/jobs/insert-prompts.ts'
import { lockDueSchedule, nextScheduleAt } from '../../store/schedules/due-schedules.ts'
import type { ScheduleRow } from '../../store/schedules/schedule-row.ts'
import { recordScheduleRun } from '../../store/schedules/write-schedule.ts'
import type { Execution } from '../context.ts'
import { prepareSubmit } from '../submit-prompt.ts'
import { goOn, recurrenceOf } from './recurrence.ts'
import { runId } from './run-id.ts'

/** What recurs steps back behind what a person waits for, as a bulk does. */
const recurringPriority = 60
const passRowsMax = 100
const triesMax = 5

export interface SchedulePass {
  /** Schedules that were due and are done with. */
  ran: number
  /** Due still, because something went wrong; the log says what. */
  failed: number
}

/** When the earliest recurring prompt is due, of those after `after` where that is given; null when none is. */
export function nextScheduleDueAt(execution: Execution, after?: Date): Promise<Date | null> {
  return nextScheduleAt(execution.database, after ?? null)
}

/**
 * Makes the prompts of schedules that are due, 100 at most, each in a transaction that also sets the schedule's next
 * time, strictly after now: what was missed while nothing ran is made up once, late, never in a burst. Many processes
 * may do this at once: who holds a schedule's row is not waited for.
 */
export async function runDueSchedules(execution: Execution): Promise<SchedulePass> {
  const failed: string[] = []
  let ran = 0
  while (ran + failed.length < passRowsMax) {
    const outcome = await runNext(execution, failed)
    if (outcome === null) break
    if (outcome.ok) ran += 1
    else failed.push(outcome.scheduleId)
  }
  return { ran, failed: failed.length }
}

/** Null when none is due that nobody holds. @throws when no schedule could even be looked at. */
async function runNext(
  execution: Execution,
  skipped: readonly string[],
): Promise<{ ok: boolean; scheduleId: string } | null> {
  for (let tries = 1; ; tries++) {
    let scheduleId: string | null = null
    try {
      return await execution.database.transaction(async (tx) => {
        const now = execution.clock.now()
        const schedule = await lockDueSchedule(tx, now, skipped)
        if (!schedule) return null
        scheduleId = schedule.id
        await runSchedule(execution, tx, schedule, now)
        return { ok: true, scheduleId }
      })
    } catch (error) {
      if (error instanceof PredecessorMovedError && tries < triesMax) continue
      if (scheduleId === null || error instanceof DomainError) throw error
      execution.log.error({ schedule_id: scheduleId, err: error }, 'recurring prompt could not be made')
      return { ok: false, scheduleId }
    }
  }
}

async function runSchedule(execution: Execution, tx: Tx, schedule: ScheduleRow, now: Date): Promise<void> {
  const { log } = execution
  const planned = schedule.next_at ?? now
  try {
    const recurrence = recurrenceOf({ cron: schedule.cron, time_zone: schedule.zone }, planned)
    const { next, missed } = goOn(recurrence, planned, now)
    const row = await runRow(execution, tx, schedule, { planned, now, missed })
    const { orgConcurrency } = execution.settings
    await insertPrompts(tx, [row], { orgConcurrency, now })
    await recordScheduleRun(tx, {
      ...schedule,
      thread_id: row.correlation_id,
      next_at: next,
      last_at: now,
      last_prompt_id: row.prompt_id,
    })
    const fields = {
      schedule_id: schedule.id,
      prompt_id: row.prompt_id,
      planned_at: planned,
      missed,
      next_at: next,
    }
    log.info(fields, 'recurring prompt made')
  } catch (error) {
    if (!(error instanceof DomainError) || error.code === 'database_unavailable') throw error
    // What it asks cannot be had any more, and no later time would change that: a person has to look.
    log.warn({ schedule_id: schedule.id, err: error }, 'schedule paused: its prompt is refused')
    await recordScheduleRun(tx, { ...schedule, next_at: null, paused_at: now })
  }
}

/**
 * The prompt of one planned time. A run of a schedule's own thread hangs at the newest leaf, so that the thread is one
 * lane, but is asked afresh: `depth` 0 unless the schedule says otherwise, and it waits for none before it. A run in a
 * thread that a person named continues it, context and all, and waits for a leaf that is being answered.
 *
 * @throws DomainError `gone` when the thread that a person named was deleted; a deleted one of its own is begun anew.
 */
async function runRow(
  execution: Execution,
  tx: Tx,
  schedule: ScheduleRow,
  { planned, now, missed }: { planned: Date; now: Date; missed: number },
): Promise<NewPrompt> {
  const { text, options, own_thread } = schedule.request
  const scope = { orgId: schedule.org_id, personId: schedule.created_by }
  const promptId = runId(schedule.id, planned)
  const [leaf] = schedule.thread_id === null ? [] : await newestLeaves(tx, [schedule.thread_id])
  if (!own_thread && !leaf) throw new DomainError('gone', 'The thread to continue was deleted.')
  const prepared = prepareSubmit(execution, scope, {
    prompt_id: promptId,
    text,
    options: {
      ...availableOptions(execution, options),
      priority: options.priority ?? recurringPriority,
      ...(own_thread && { depth: options.depth ?? 0 }),
    },
  })
  const row = prepared.row({
    parentId: leaf?.id ?? null,
    correlationId: leaf?.thread_id ?? promptId,
    createdAt: now,
  })
  return {
    ...row,
    title: schedule.name,
    scheduled_for: planned.toISOString(),
    time_zone: schedule.zone,
    run_of: { schedule_id: schedule.id, planned_at: planned.toISOString(), missed },
    never_waits: own_thread,
  }
}

/** A provider that is not there any more leaves the choice to the default, as for a job that waited meanwhile. */
function availableOptions(execution: Execution, options: SubmitOptions): SubmitOptions {
  const { prefer_provider, model, ...rest } = options
  if (prefer_provider === undefined || execution.providers.byId(prefer_provider)) return options
  return rest
}
