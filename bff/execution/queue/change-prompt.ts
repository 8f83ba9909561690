import type { PromptPatch } from '../../../shared/contracts/waiting.ts'
import type { PromptView } from '../../../shared/prompt-view.ts'
import { DomainError, invalidField, notFound } from '../../domain/errors.ts'
import { changeJob } from '../../store/jobs/change-job.ts'
import { readJobs } from '../../store/jobs/read-jobs.ts'
import type { Execution, Scope } from '../context.ts'
import { requireOwnPrompt } from '../own-prompt.ts'
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
  const scheduledFor = scheduledTimeOf(patch)
  await requireOwnPrompt(execution, scope, promptId)
  const { agingMs, orgConcurrency } = execution.settings
  const change = {
    priority: patch.priority,
    scheduledFor,
    actor: scope.personId,
    agingMs,
    orgConcurrency,
    now: execution.clock.now(),
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

/** Years that every database and every text form of a time has in common. */
function scheduledTimeOf({ scheduled_for: text }: PromptPatch): Date | null | undefined {
  if (text === undefined || text === null) return text
  const at = new Date(text)
  const year = at.getUTCFullYear()
  if (year >= 1970 && year <= 9999) return at
  throw invalidField('scheduled_for', 'must lie between the years 1970 and 9999')
}
