import type { Execution } from '../execution/context.ts'
import { refreshPlans } from '../execution/refresh-plans.ts'
import type { Loop } from './claim-loop.ts'

/** New jobs of this process after which the tables are another order of magnitude than its plans were made for. */
const milestones = [100, 1_000, 10_000]

/**
 * Has plans made again as the tables grow. A connection keeps the plan of a statement that it made while the tables were
 * empty, and walks through all of a table with it, until statistics are gathered: PostgreSQL does so by itself once a
 * minute, the embedded database never. It counts what this process accepts and runs no statement in between.
 */
export function startStatisticsUpkeep(execution: Execution): Loop {
  const { database, log } = execution
  const ahead = [...milestones]
  let added = 0
  let working: Promise<void> = Promise.resolve()

  const refresh = async (rows: number): Promise<void> => {
    try {
      await refreshPlans(execution, rows)
    } catch (error) {
      log.warn({ err: error }, 'statistics could not be gathered; statements stay slower until the next time')
    }
  }

  const unsubscribe = database.signals.subscribe('job-moved', ({ move }) => {
    if (move.from !== null || move.kind !== 'job-queued') return
    added += 1
    const [next] = ahead
    if (next === undefined || added < next) return
    ahead.shift()
    working = working.then(() => refresh(next))
  })

  return {
    async stop() {
      unsubscribe()
      await working
    },
  }
}
