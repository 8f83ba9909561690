import { DomainError, notFound } from '../../domain/errors.ts'
import { readPrompts } from '../../store/entities/read-prompts.ts'
import { retractPrompts, type WhichPrompts } from '../../store/entities/retract.ts'
import type { Execution, Scope } from '../context.ts'

/**
 * Hides a prompt everywhere; one that waits is cancelled by it. Deleting what is deleted already answers the same again.
 *
 * @throws DomainError `not_found`; `state_conflict` while it runs.
 */
export async function deletePrompt(execution: Execution, scope: Scope, promptId: string): Promise<void> {
  const [stored] = await readPrompts(execution.database, [promptId])
  if (stored?.org_id !== scope.orgId || stored.created_by !== scope.personId) throw notFound('prompt')
  await retract(execution, { promptId }, scope.personId)
}

/** The same as an operator's act, whoever owns it. `actor` is written to the events. */
export async function deletePromptAs(execution: Execution, promptId: string, actor: string): Promise<void> {
  const [stored] = await readPrompts(execution.database, [promptId])
  if (!stored) throw notFound('prompt')
  await retract(execution, { promptId }, actor)
}

/** @throws DomainError `state_conflict` while one of them runs; nothing is hidden then. */
export async function retract(execution: Execution, which: WhichPrompts, actor: string): Promise<void> {
  const by = { actor, orgConcurrency: execution.settings.orgConcurrency, now: execution.clock.now() }
  const done = await execution.database.transaction((tx) => retractPrompts(tx, which, by))
  if ('running' in done) {
    const what = 'promptId' in which ? 'This prompt' : 'A prompt of this thread'
    throw new DomainError('state_conflict', `${what} is being answered; stop it first.`, {
      state: 'running',
      job_id: done.running.jobId,
    })
  }
  for (const prompt_id of done.retracted) execution.log.info({ prompt_id, actor }, 'prompt deleted')
}
