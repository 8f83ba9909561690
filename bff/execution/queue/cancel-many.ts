import { DomainError } from '../../domain/errors.ts'
import type { Tx } from '../../store/database/database.ts'
import { cancelJobRow } from '../../store/jobs/cancel-job.ts'
import { type CurrentJob, lockCurrentJobs } from '../../store/jobs/current-jobs.ts'
import { cancelWhich } from '../cancel-prompt.ts'
import type { Execution, Scope } from '../context.ts'
import { type ActionOutcome, conflict, settled } from './action-outcome.ts'

/** So many share a transaction: enough to share its commit, few enough to let others have the database in between. */
const sharedMax = 100

/** Many a transaction; a share that fails is done again one by one, so that each answers for itself only. */
export async function cancelMany(
  execution: Execution,
  scope: Scope,
  jobs: readonly CurrentJob[],
): Promise<ActionOutcome[]> {
  const outcomes: ActionOutcome[] = []
  const by = () => ({
    actor: scope.personId,
    orgConcurrency: execution.settings.orgConcurrency,
    now: execution.clock.now(),
  })
  for (let from = 0; from < jobs.length; from += sharedMax) {
    const share = jobs.slice(from, from + sharedMax)
    try {
      outcomes.push(...(await execution.database.transaction((tx) => cancelShare(tx, share, by()))))
    } catch (error) {
      if (error instanceof DomainError) throw error
      for (const job of share) outcomes.push(await cancelAlone(execution, scope, job))
    }
  }
  return outcomes
}

async function cancelShare(
  tx: Tx,
  share: readonly CurrentJob[],
  by: { actor: string; orgConcurrency: number; now: Date },
): Promise<ActionOutcome[]> {
  const locked = await lockCurrentJobs(
    tx,
    share.map((job) => job.promptId),
  )
  const outcomes: ActionOutcome[] = []
  for (const { promptId, jobId, state } of locked) {
    const isDone = state === 'cancelled' || (await cancelJobRow(tx, { jobId }, by)) !== null
    outcomes.push(
      isDone
        ? { promptId, jobId, state: 'cancelled' }
        : { promptId, refused: conflict(state, jobId, 'there is nothing to cancel') },
    )
  }
  return outcomes
}

function cancelAlone(execution: Execution, scope: Scope, { promptId }: CurrentJob): Promise<ActionOutcome> {
  return settled(execution, scope, promptId, () =>
    cancelWhich(execution, { promptId, ...scope }, { promptId }, scope.personId),
  )
}
