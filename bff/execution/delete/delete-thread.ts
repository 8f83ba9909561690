import { notFound } from '../../domain/errors.ts'
import { readThreadOwner } from '../../store/entities/retract.ts'
import type { Execution, Scope } from '../context.ts'
import { retract } from './delete-prompt.ts'

/**
 * Hides a thread and all of its prompts everywhere; what waits in it is cancelled. All or nothing: while one of them
 * runs, nothing is hidden.
 *
 * @throws DomainError `not_found`, `state_conflict` with the job that runs.
 */
export async function deleteThread(execution: Execution, scope: Scope, threadId: string): Promise<void> {
  const owner = await readThreadOwner(execution.database, threadId)
  if (owner?.orgId !== scope.orgId || owner.personId !== scope.personId) throw notFound('thread')
  await retract(execution, { threadId }, scope.personId)
}

/** The same as an operator's act, whoever owns it. `actor` is written to the events. */
export async function deleteThreadAs(execution: Execution, threadId: string, actor: string): Promise<void> {
  if ((await readThreadOwner(execution.database, threadId)) === null) throw notFound('thread')
  await retract(execution, { threadId }, actor)
}
