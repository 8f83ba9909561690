import { isTerminal } from '../../domain/job-state.ts'
import type { CurrentJob } from '../../store/jobs/current-jobs.ts'
import type { Execution, Scope } from '../context.ts'
import { retryWhich } from '../retry-prompt.ts'
import { type ActionOutcome, conflict, settled } from './action-outcome.ts'

/** Retries under way at once, where the database takes more than one at a time. */
const retriesMax = 8

/** Each a transaction of its own: of two retries of one prompt, one has to lose. */
export async function retryMany(
  execution: Execution,
  scope: Scope,
  jobs: readonly CurrentJob[],
): Promise<ActionOutcome[]> {
  const outcomes: ActionOutcome[] = []
  const waiting = [...jobs]
  const one = async (): Promise<void> => {
    for (let job = waiting.shift(); job; job = waiting.shift()) {
      const { promptId, jobId, state } = job
      outcomes.push(
        isTerminal(state)
          ? await settled(execution, scope, promptId, () =>
              retryWhich(execution, { promptId, ...scope }, promptId, scope.personId),
            )
          : { promptId, refused: conflict(state, jobId, 'there is nothing to retry') },
      )
    }
  }
  await Promise.all(Array.from({ length: retriesMax }, one))
  return outcomes
}
