import type { Worker } from '../execution/attempt/worker.ts'
import type { Execution } from '../execution/context.ts'
import { nextDueAt } from '../execution/due-times.ts'

const retryMs = 1_000

/** A loop that can be ended; `stop` waits for what it is doing. */
export interface Loop {
  stop(): Promise<void>
}

/**
 * Makes the worker claim when there may be something: a signal says that work was committed, a place became free, or
 * the earliest `available_at` has come. With nothing to do it runs no statement: a timer, not a poll.
 */
export function startClaimLoop(execution: Execution, worker: Worker): Loop {
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
      const since = clock.now()
      try {
        const { full } = await worker.claimOnce()
        // A full claim may have left more behind; the next free place asks again, unless there is one already.
        if (full) wanted = true
        if (!wanted) await arm(since)
      } catch (error) {
        log.warn({ err: error }, 'claim failed; trying again')
        armAt(new Date(clock.now().getTime() + retryMs))
      }
    }
  }

  /** `since`: from before the claim, so that no job becomes due between the two and is seen by neither. */
  const arm = async (since: Date): Promise<void> => {
    const at = await nextDueAt(execution, since)
    if (at) armAt(at)
  }

  const armAt = (at: Date): void => {
    disarm?.()
    disarm = stopped ? null : clock.at(at, wake)
  }

  const unsubscribe = [execution.database.signals.subscribe('job-queued', wake), worker.onFree(wake)]
  wake()
  return {
    async stop() {
      stopped = true
      for (const leave of unsubscribe) leave()
      disarm?.()
      await passing
    },
  }
}
