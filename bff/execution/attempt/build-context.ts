import type { Turn } from '../../domain/ports.ts'
import type { Queryable } from '../../store/database/database.ts'
import { readAncestors } from '../../store/entities/read-prompts.ts'

const depthDefault = 1_000

/**
 * The conversation that a prompt continues: its ancestors from the thread's root, each once with its current answer,
 * then the prompt itself. `depth` bounds how many ancestors go along, the nearest first; 0 means none.
 * A retry asks the same turn again; it never appends it twice.
 */
export async function buildContext(
  queryable: Queryable,
  promptId: string,
  depth = depthDefault,
): Promise<Turn[]> {
  const line = await readAncestors(queryable, promptId, depth)
  return line.flatMap((row): Turn[] => {
    const asked: Turn = { role: 'user', text: row.body }
    const answered = row.depth > 0 && row.answer !== null
    return answered ? [asked, { role: 'assistant', text: row.answer ?? '' }] : [asked]
  })
}
