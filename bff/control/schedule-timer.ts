import type { Execution } from '../execution/context.ts'
import { nextScheduleDueAt, runDueSchedules } from '../execution/schedules/run-due-schedules.ts'
import type { Loop } from './claim-loop.ts'

/** After a pass that took nothing because others hold what is due, or because the database was not to be had. */
const retryMs = 1_000
/** After a pass that could not make a prompt. */
const failedRetryMs = 15_000

/**
 * Makes recurring prompts at their times: armed for the earliest of them, woken when a schedule is made, changed or
 * removed, and looking once at its start, for what was missed. Between these it runs no statement.
 */
export function startScheduleTimer(execution: Execution): Loop {
  const { clock, log } = execution
  let stopped = false
  let wanted = false
  let passing: Promise<void> | null = null
  let disarm: (() => void) | null = null

  const wake = (): void => {
    wanted = true
    if (stopped || passing) return
    passing = passes().finally(() => {
      passing = null
      // What came after the last look and before this is not lost.
      if (wanted) wake()
    })
  }

  const passes = async (): Promise<void> => {
    while (wanted && !stopped) {
      wanted = false
      try {
        await pass()
      } catch (error) {
        log.warn({ err: error }, 'looking for recurring prompts failed; trying again')
        armAt(new Date(clock.now().getTime() + retryMs))
      }
    }
  }

  const pass = async (): Promise<void> => {
    const at = await nextScheduleDueAt(execution)
    const now = clock.now().getTime()
    if (at === null || at.getTime() > now) return armAt(at)
    const { ran, failed } = await runDueSchedules(execution)
    if (ran > 0) {
      wanted = true
      // Others get their turn between passes.
      await new Promise((resolve) => setImmediate(resolve))
      return
    }
    // What cannot be made now holds up no other.
    const retryAt = new Date(now + (failed > 0 ? failedRetryMs : retryMs))
    const later = await nextScheduleDueAt(execution, new Date(now))
    armAt(later !== null && later < retryAt ? later : retryAt)
  }

  const armAt = (at: Date | null): void => {
    disarm?.()
    disarm = stopped || at === null ? null : clock.at(at, wake)
  }

  const unsubscribe = execution.database.signals.subscribe('schedules', wake)
  wake()
  return {
    async stop() {
      stopped = true
      unsubscribe()
      disarm?.()
      await passing
    },
  }
}
