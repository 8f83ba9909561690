import { jobState } from '../../../shared/job.ts'
import type { FieldResponse, ViewsResponse } from '../../../shared/observe.ts'
import { encodeCursor } from '../../store/events/cursor.ts'
import { readFieldRows, readThreadRows } from '../../store/views/read-field.ts'
import { readOwnViews } from '../../store/views/read-views.ts'
import type { Execution, Scope } from '../context.ts'
import { presentCursor } from './position.ts'

/** The layout of all of one's prompts in columns, no texts; the cursor was taken before, so that following it overlaps. */
export async function readField(execution: Execution, scope: Scope): Promise<FieldResponse> {
  const cursor = encodeCursor(await presentCursor(execution))
  const rows = await readFieldRows(execution.database, scope.orgId, scope.personId)
  const threads = await readThreadRows(execution.database, scope.orgId, scope.personId)
  const laneOf = new Map(threads.map((thread, index) => [thread.id, index]))
  const drawn = rows.filter((row) => laneOf.has(row.correlation_id))
  const columnOf = new Map(drawn.map((row, index) => [row.id, index]))
  const totals: Record<string, number> = {}
  for (const row of drawn) totals[row.state] = (totals[row.state] ?? 0) + 1
  return {
    threads: threads.map(({ id, title, row_order }) => ({ id, title, order: row_order })),
    ids: drawn.map((row) => row.id),
    thread: drawn.map((row) => laneOf.get(row.correlation_id) ?? 0),
    parent: drawn.map((row) => (row.parent_id === null ? -1 : (columnOf.get(row.parent_id) ?? -1))),
    created_at: drawn.map((row) => row.created_at.getTime()),
    state: drawn.map((row) => jobState.parse(row.state)),
    flags: drawn.map((row) => row.flags),
    revision: drawn.map((row) => row.revision),
    batch: drawn.map((row) => row.batch_id),
    totals,
    cursor,
  }
}

/** The views of what is on screen; unknown and foreign ids are left out. */
export async function readViews(
  execution: Execution,
  scope: Scope,
  ids: readonly string[],
): Promise<ViewsResponse> {
  const cursor = encodeCursor(await presentCursor(execution))
  return { views: await readOwnViews(execution.database, scope, ids), cursor }
}
