import { v7 as uuidV7 } from 'uuid'
import { isTerminal } from '../../domain/job-state.ts'
import type { CurrentJob } from '../../store/jobs/current-jobs.ts'
import { supersedeMany } from '../../store/jobs/supersede.ts'
import { providerOfJob } from '../choose-model.ts'
import type { Execution, Scope } from '../context.ts'
import { retryWhich } from '../retry-prompt.ts'
import { type ActionOutcome, conflict, oneByOne, readAgain } from './action-outcome.ts'

/** All in one transaction; what that cannot do, each by itself, so that each answers for itself only. */
export async function retryMany(
  execution: Execution,
  scope: Scope,
  jobs: readonly CurrentJob[],
): Promise<ActionOutcome[]> {
  const settled = jobs.filter((job) => isTerminal(job.state) && !job.external)
  const external = jobs.filter((job) => isTerminal(job.state) && job.external)
  const unsettled = jobs.filter((job) => !isTerminal(job.state))
  return [
    ...(await retryTogether(execution, scope, settled)),
    ...(await retryAlone(execution, scope, external)),
    ...unsettled.map((job) => conflict(job, 'there is nothing to retry')),
  ]
}

async function retryTogether(
  execution: Execution,
  scope: Scope,
  jobs: readonly CurrentJob[],
): Promise<ActionOutcome[]> {
  if (jobs.length === 0) return []
  const { agingMs, orgConcurrency } = execution.settings
  const by = { actor: scope.personId, agingMs, orgConcurrency, now: execution.clock.now() }
  const successors = jobs.map((job) => {
    const { provider, model } = providerOfJob(execution.providers, job)
    return { promptId: job.promptId, oldJobId: job.jobId, jobId: uuidV7(), provider: provider.id, model }
  })
  try {
    const superseded = await execution.database.transaction((tx) => supersedeMany(tx, successors, by))
    const won = successors.filter((one) => superseded.has(one.oldJobId))
    const others = jobs.filter((job) => !superseded.has(job.jobId))
    const now = await readAgain(execution, scope, others)
    return [
      ...won.map(({ promptId, jobId }): ActionOutcome => ({ promptId, jobId, state: 'queued' })),
      ...now.map((job) => conflict(job, 'there is nothing to retry')),
    ]
  } catch (error) {
    execution.log.warn({ err: error, jobs: jobs.length }, 'retrying together failed; trying one by one')
    return retryAlone(execution, scope, jobs)
  }
}

function retryAlone(
  execution: Execution,
  scope: Scope,
  jobs: readonly CurrentJob[],
): Promise<ActionOutcome[]> {
  return oneByOne(execution, scope, jobs, ({ promptId }) =>
    retryWhich(execution, { promptId, ...scope }, promptId, scope.personId),
  )
}
