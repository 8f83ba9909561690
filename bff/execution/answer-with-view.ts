import type { RetryResponse } from '../../shared/observe.ts'
import { notFound } from '../domain/errors.ts'
import { encodeCursor } from '../store/events/cursor.ts'
import { currentSnapshot } from '../store/events/snapshot.ts'
import { readViewsById } from '../store/views/read-views.ts'
import type { Execution } from './context.ts'

/** How a prompt stands after a command, with the position in the events from which to go on. */
export async function answerWithView(execution: Execution, promptId: string): Promise<RetryResponse> {
  const { epoch } = await execution.meta()
  const cursor = encodeCursor({ epoch, from: await currentSnapshot(execution.database) })
  const [found] = await readViewsById(execution.database, [promptId])
  if (!found) throw notFound('prompt')
  const { view } = found
  return { prompt_id: view.prompt_id, job_id: view.job_id, state: view.state, view, cursor }
}
