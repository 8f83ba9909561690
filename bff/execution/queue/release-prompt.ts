import type { PromptView } from '../../../shared/prompt-view.ts'
import { DomainError, notFound } from '../../domain/errors.ts'
import { readJobs } from '../../store/jobs/read-jobs.ts'
import { releaseJob } from '../../store/jobs/release-job.ts'
import { readOwnViews } from '../../store/views/read-views.ts'
import type { Execution, Scope } from '../context.ts'
import { requireOwnPrompt } from '../own-prompt.ts'

/**
 * A follower runs without the prompt that it waits for, held or not: its context is its ancestors as they are then.
 *
 * @throws DomainError `not_found`, `gone`; `state_conflict` with its state for one that is not queued or waits for nothing.
 */
export async function releasePrompt(
  execution: Execution,
  scope: Scope,
  promptId: string,
): Promise<{ view: PromptView }> {
  await requireOwnPrompt(execution, scope, promptId)
  const by = {
    actor: scope.personId,
    orgConcurrency: execution.settings.orgConcurrency,
    now: execution.clock.now(),
  }
  const released = await execution.database.transaction((tx) => releaseJob(tx, { promptId, ...scope }, by))
  if (!released) {
    const [job] = await readJobs(execution.database, { promptId }, 1)
    if (!job) throw notFound('prompt')
    const what = job.state === 'queued' ? 'waits for no other prompt' : `is ${job.state}`
    throw new DomainError('state_conflict', `This prompt ${what}; there is nothing to release it from.`, {
      state: job.state,
      job_id: job.id,
    })
  }
  return ownView(execution, scope, promptId)
}

/** How a prompt of one's own stands now. @throws DomainError `not_found`. */
export async function ownView(
  execution: Execution,
  scope: Scope,
  promptId: string,
): Promise<{ view: PromptView }> {
  const [view] = await readOwnViews(execution.database, scope, [promptId])
  if (!view) throw notFound('prompt')
  return { view }
}
