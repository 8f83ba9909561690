import { v7 as uuidV7 } from 'uuid'
import type { RetryResponse } from '../../shared/observe.ts'
import { DomainError, notFound } from '../domain/errors.ts'
import { readJobs } from '../store/jobs/read-jobs.ts'
import { supersedeWithNew } from '../store/jobs/supersede.ts'
import type { WhichJob } from '../store/jobs/which.ts'
import { answerWithView } from './answer-with-view.ts'
import { providerOfJob } from './choose-model.ts'
import type { Execution, Scope } from './context.ts'
import { requireOwnPrompt } from './own-prompt.ts'

/**
 * Asks a settled prompt again: a new job for the same prompt. The old one is kept as superseded, its answer reachable,
 * and shown until the new job is claimed.
 *
 * @throws DomainError `not_found`; `state_conflict` while it waits or runs, with the job that does, so that the loser of
 * two retries learns the winner's id.
 */
export async function retryPrompt(
  execution: Execution,
  scope: Scope,
  promptId: string,
): Promise<RetryResponse> {
  await requireOwnPrompt(execution, scope, promptId)
  await retryWhich(execution, { promptId, ...scope }, promptId, scope.personId)
  return answerWithView(execution, promptId)
}

/** The same for one job, as an operator's act. */
export async function retryWhich(
  execution: Execution,
  which: WhichJob,
  promptId: string,
  actor: string,
): Promise<void> {
  const [old] = await readJobs(execution.database, { promptId }, 1)
  if (!old) throw notFound('prompt')
  const { provider, model } = providerOfJob(execution.providers, old)
  const retry = {
    jobId: uuidV7(),
    actor,
    provider: provider.id,
    model,
    agingMs: execution.settings.agingMs,
    orgConcurrency: execution.settings.orgConcurrency,
    now: execution.clock.now(),
  }
  const won = await execution.database.transaction((tx) => supersedeWithNew(tx, which, retry))
  if (won) return
  const [current] = await readJobs(execution.database, { promptId }, 1)
  if (!current) throw notFound('prompt')
  throw new DomainError(
    'state_conflict',
    `This prompt is ${current.state} already; there is nothing to retry.`,
    {
      state: current.state,
      job_id: current.id,
    },
  )
}
