import { markSeen as markSeenRows } from '../store/entities/mark-seen.ts'
import type { Execution, Scope } from './context.ts'

/**
 * Remembers, per person, which answers were seen; it names the job, since a new answer is unseen again. What is not
 * one's own is left out in silence.
 */
export async function markSeen(
  execution: Execution,
  scope: Scope,
  prompts: readonly { prompt_id: string; job_id: string }[],
): Promise<void> {
  if (prompts.length === 0) return
  await execution.database.transaction((tx) => markSeenRows(tx, scope, prompts, execution.clock.now()))
}
