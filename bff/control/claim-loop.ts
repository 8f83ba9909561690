import type { Worker } from '../execution/attempt/worker.ts'
import type { Execution } from '../execution/context.ts'
import { grantReadyJobs } from '../execution/due-times.ts'

const retryMs = 1_000

/** A loop that can be ended; `stop` waits for what it is doing. */
export interface Loop {
  stop(): Promise<void>
}

/**
 * Makes the worker claim when there may be something: a signal says that work was committed, a place became free, or the
 * earliest time has come at which a job becomes due or a provider may be tried again. With nothing to do it runs no
 * statement: a timer, not a poll.
 *
 * What becomes ready by the clock alone has no permit yet. It gets one when the timer fires, also while every place is
 * taken: a claim that always finds something would never look for it.
 */
export function startClaimLoop(execution: Execution, worker: Worker): Loop {
  const { clock, log } = execution
  let stopped = false
  let wanted = false
  let due = false
  let passing: Promise<void> | null = null
  let armed: { at: Date; disarm: () => void } | null = null

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
    // One commit wakes in several ways: they share a look.
    await new Promise((resolve) => setImmediate(resolve))
    while (wanted && !stopped) {
      wanted = false
      try {
        const wasDue = due
        due = false
        const { full, looked, nextAt } = await worker.claimOnce()
        // A full claim may have left more behind; the next free place asks again, unless there is one already.
        if (full) wanted = true
        armBy(wasDue && !looked ? (await grantReadyJobs(execution)).nextAt : nextAt)
      } catch (error) {
        log.warn({ err: error }, 'claim failed; trying again')
        due = true
        armBy(new Date(clock.now().getTime() + retryMs))
      }
    }
  }

  /** Never later than what is armed already: an early look costs one statement, a late one is felt. */
  const armBy = (at: Date | null): void => {
    if (at === null || stopped || (armed !== null && armed.at <= at)) return
    armed?.disarm()
    const fire = (): void => {
      armed = null
      wakeDue()
    }
    armed = { at, disarm: clock.at(at, fire) }
  }

  const wakeDue = (): void => {
    due = true
    wake()
  }

  const hear = ({ dueAt }: { dueAt?: string }): void => {
    if (dueAt === undefined) wake()
    else if (new Date(dueAt) <= clock.now()) wakeDue()
    else armBy(new Date(dueAt))
  }

  const unsubscribe = [execution.database.signals.subscribe('job-queued', hear), worker.onFree(wake)]
  wake()
  return {
    async stop() {
      stopped = true
      for (const leave of unsubscribe) leave()
      armed?.disarm()
      await passing
    },
  }
}
