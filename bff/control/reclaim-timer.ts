import type { Worker } from '../execution/attempt/worker.ts'
import type { Execution } from '../execution/context.ts'
import { nextLeaseEndAt } from '../execution/due-times.ts'
import { reclaimStuckJobs } from '../execution/operate-jobs.ts'
import type { Loop } from './claim-loop.ts'

const retryMs = 1_000

/**
 * Takes jobs back at the very end of a lease, not at the next tick of a clock: armed for the earliest
 * `running_heartbeat_at + lease`. A new claim never has an earlier end than the one it is armed for, so a signal costs
 * a statement only when nothing is armed. When this process's last attempt has ended it looks once more, so that an idle
 * server has nothing armed and runs no statement.
 */
export function startReclaimTimer(execution: Execution, worker: Worker | null): Loop {
  const { clock, log } = execution
  let stopped = false
  let disarm: (() => void) | null = null
  let passing: Promise<void> | null = null
  let wanted = false

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
        const at = await nextLeaseEndAt(execution)
        if (at === null) disarmNow()
        else if (at.getTime() > clock.now().getTime()) armAt(at)
        else {
          const { requeued, failed } = await reclaimStuckJobs(execution)
          // Nothing taken: another transaction holds the row just now, and a loop would only spin.
          if (requeued.length + failed.length > 0) wanted = true
          else armAt(new Date(clock.now().getTime() + retryMs))
        }
      } catch (error) {
        log.warn({ err: error }, 'reclaim failed; trying again')
        armAt(new Date(clock.now().getTime() + retryMs))
      }
    }
  }

  const disarmNow = (): void => {
    disarm?.()
    disarm = null
  }

  const armAt = (at: Date): void => {
    disarmNow()
    disarm = stopped
      ? null
      : clock.at(at, () => {
          disarm = null
          wake()
        })
  }

  const unsubscribe = [
    execution.database.signals.subscribe('deadlines', () => {
      if (disarm === null) wake()
    }),
    worker?.onFree(() => {
      if (worker.running === 0 && disarm !== null) wake()
    }),
  ]
  wake()
  return {
    async stop() {
      stopped = true
      for (const leave of unsubscribe) leave?.()
      disarmNow()
      await passing
    },
  }
}
