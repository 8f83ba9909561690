import { DomainError, notFound } from '../domain/errors.ts'
import { readPrompts } from '../store/entities/read-prompts.ts'
import type { Execution, Scope } from './context.ts'

/** @throws DomainError `not_found` unless the prompt is there and the asker's own; `gone` when it was deleted. */
export async function requireOwnPrompt(execution: Execution, scope: Scope, promptId: string): Promise<void> {
  const [stored] = await readPrompts(execution.database, [promptId])
  if (stored?.org_id !== scope.orgId || stored.created_by !== scope.personId) throw notFound('prompt')
  if (stored.state_class === 'retracted') throw new DomainError('gone', 'This prompt was deleted.')
}
