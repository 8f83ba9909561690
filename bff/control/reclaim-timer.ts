import type { Execution } from '../execution/context.ts'
import { nextLeaseEndAt } from '../execution/due-times.ts'
import { reclaimStuckJobs } from '../execution/operate-jobs.ts'
import type { Loop } from './claim-loop.ts'

const retryMs = 1_000

/**
 * Takes jobs back at the very end of a lease, not at the next tick of a clock: armed for the earliest
 * `running_heartbeat_at + lease`. A new claim never has an earlier end than the one it is armed for, so a signal costs
 * a statement only when nothing is armed. Nothing runs, nothing is armed.
 */
export function startReclaimTimer(execution: Execution): Loop {
  const { clock, log } = execution
  let stopped = false
  let disarm: (() => void) | null = null
  let passing: Promise<void> | null = null
  let wanted = false

  const wake = (): void => {
    if (stopped) return
    wanted = true
    passing ??= passes().finally(() => (passing = null))
  }

  const passes = async (): Promise<void> => {
    while (wanted && !stopped) {
      wanted = false
      try {
        const at = await nextLeaseEndAt(execution)
        if (at === null) continue
        if (at.getTime() > clock.now().getTime()) armAt(at)
        else {
          await reclaimStuckJobs(execution)
          wanted = true
        }
      } catch (error) {
        log.warn({ err: error }, 'reclaim failed; trying again')
        armAt(new Date(clock.now().getTime() + retryMs))
      }
    }
  }

  const armAt = (at: Date): void => {
    disarm?.()
    disarm = stopped
      ? null
      : clock.at(at, () => {
          disarm = null
          wake()
        })
  }

  const unsubscribe = execution.database.signals.subscribe('deadlines', () => {
    if (disarm === null) wake()
  })
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
