import { cancelJobs } from '../../store/jobs/cancel-job.ts'
import type { CurrentJob } from '../../store/jobs/current-jobs.ts'
import { cancelWhich } from '../cancel-prompt.ts'
import type { Execution, Scope } from '../context.ts'
import { type ActionOutcome, conflict, oneByOne, readAgain } from './action-outcome.ts'

/** All in one transaction; if that fails, each by itself, so that each answers for itself only. */
export async function cancelMany(
  execution: Execution,
  scope: Scope,
  jobs: readonly CurrentJob[],
): Promise<ActionOutcome[]> {
  const { database, clock, settings } = execution
  const by = { actor: scope.personId, orgConcurrency: settings.orgConcurrency, now: clock.now() }
  const ids = jobs.map((job) => job.jobId)
  try {
    const cancelled = await database.transaction((tx) => cancelJobs(tx, ids, by))
    const done = new Map(cancelled.map((one) => [one.promptId, one.jobId]))
    const others = jobs.filter((job) => !done.has(job.promptId))
    const now = await readAgain(execution, scope, others)
    return [
      ...[...done].map(([promptId, jobId]): ActionOutcome => ({ promptId, jobId, state: 'cancelled' })),
      ...now.map(
        (job): ActionOutcome =>
          job.state === 'cancelled' ? lineOf(job) : conflict(job, 'there is nothing to cancel'),
      ),
    ]
  } catch (error) {
    execution.log.warn({ err: error, jobs: ids.length }, 'cancelling together failed; trying one by one')
    return oneByOne(execution, scope, jobs, ({ promptId }) =>
      cancelWhich(execution, { promptId, ...scope }, { promptId }, scope.personId),
    )
  }
}

function lineOf({ promptId, jobId, state }: CurrentJob): ActionOutcome {
  return { promptId, jobId, state }
}
