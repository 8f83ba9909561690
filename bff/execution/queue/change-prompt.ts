import type { PromptPatch } from '../../../shared/contracts/waiting.ts'
import type { PromptView } from '../../../shared/prompt-view.ts'
import { DomainError, notFound } from '../../domain/errors.ts'
import { changeJob } from '../../store/jobs/change-job.ts'
import { readJobs } from '../../store/jobs/read-jobs.ts'
import type { Execution, Scope } from '../context.ts'
import { requireOwnPrompt } from '../own-prompt.ts'
import { scheduledTimeOf } from '../scheduled-time.ts'
import { ownView } from './release-prompt.ts'

/**
 * Another priority or another time for a prompt that waits. `scheduled_for: null` means as soon as it can, which a
 * backoff or a provider's limit still decides.
 *
 * @throws DomainError `not_found`, `gone`, `invalid_request`; `state_conflict` with its state for one that is not queued.
 */
export async function changePrompt(
  execution: Execution,
  scope: Scope,
  promptId: string,
  patch: PromptPatch,
): Promise<{ view: PromptView }> {
  const now = execution.clock.now()
  const time = patch.scheduled_for === undefined ? {} : timeOf(patch.scheduled_for, now)
  await requireOwnPrompt(execution, scope, promptId)
  const { agingMs, orgConcurrency } = execution.settings
  const change = {
    priority: patch.priority,
    ...time,
    actor: scope.personId,
    agingMs,
    orgConcurrency,
    now,
  }
  const changed = await execution.database.transaction((tx) => changeJob(tx, { promptId, ...scope }, change))
  if (!changed) {
    const [job] = await readJobs(execution.database, { promptId }, 1)
    if (!job) throw notFound('prompt')
    throw new DomainError(
      'state_conflict',
      `This prompt is ${job.state}; only a waiting one can be changed.`,
      {
        state: job.state,
        job_id: job.id,
      },
    )
  }
  return ownView(execution, scope, promptId)
}

function timeOf(text: string | null, now: Date): { scheduledFor: Date | null; timeZone: string | null } {
  if (text === null) return { scheduledFor: null, timeZone: null }
  const { at, timeZone } = scheduledTimeOf(text, now, 'scheduled_for')
  return { scheduledFor: at, timeZone }
}
