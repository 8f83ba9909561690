import type { CancelResponse } from '../../shared/observe.ts'
import { DomainError, notFound } from '../domain/errors.ts'
import { cancelJobRow } from '../store/jobs/cancel-job.ts'
import { readJobs } from '../store/jobs/read-jobs.ts'
import type { WhichJob } from '../store/jobs/which.ts'
import { answerWithView } from './answer-with-view.ts'
import type { Execution, Scope } from './context.ts'
import { requireOwnPrompt } from './own-prompt.ts'

/**
 * The only signal that ends work; closing a tab never does. Settles the record at once; the holder of a running job is
 * told after the commit and aborts its provider call. Cancelling what is cancelled already answers the same again.
 *
 * @throws DomainError `not_found`; `state_conflict` for a prompt that has settled otherwise.
 */
export async function cancelPrompt(
  execution: Execution,
  scope: Scope,
  promptId: string,
): Promise<CancelResponse> {
  await requireOwnPrompt(execution, scope, promptId)
  await cancelWhich(execution, { promptId, ...scope }, { promptId }, scope.personId)
  return answerWithView(execution, promptId)
}

/** The same for one job, as an operator's act. `current` finds the job again when there was nothing to cancel. */
export async function cancelWhich(
  execution: Execution,
  which: WhichJob,
  current: { promptId: string } | { jobId: string },
  actor: string,
): Promise<void> {
  const now = execution.clock.now()
  const { orgConcurrency } = execution.settings
  const cancelled = await execution.database.transaction((tx) =>
    cancelJobRow(tx, which, { actor, orgConcurrency, now }),
  )
  if (cancelled) return
  const [job] = await readJobs(execution.database, current, 1)
  if (!job) throw notFound('job')
  if (job.state === 'cancelled') return
  throw new DomainError(
    'state_conflict',
    `This prompt has ${words(job.state)}; there is nothing to cancel.`,
    {
      state: job.state,
      job_id: job.id,
    },
  )
}

function words(state: string): string {
  if (state === 'succeeded') return 'been answered already'
  return state === 'superseded' ? 'been replaced by a newer job' : `${state} already`
}
