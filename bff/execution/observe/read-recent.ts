import { pageLimitDefault, type RecentResponse } from '../../../shared/observe.ts'
import { invalidField } from '../../domain/errors.ts'
import { type Cursor, encodeCursor } from '../../store/events/cursor.ts'
import { readChanges } from '../../store/events/read-changes.ts'
import { readChangedViews, readNewestViews } from '../../store/views/read-views.ts'
import type { Execution, Scope } from '../context.ts'
import { decodePageKey, encodePageKey } from './page-key.ts'
import { positionOf, presentCursor } from './position.ts'

export interface RecentQuery {
  /** A cursor or an ISO 8601 time; without it the newest page is read. */
  since?: string
  /** The position of an older page, as an earlier answer gave it. */
  before?: string
  /** How many events, or prompts of the newest page, are read: 1 to 500. */
  limit?: number
}

/**
 * The prompts that changed since a position, folded from their events, or the newest page. Following `cursor` until
 * `has_more` is false loses nothing, however late transactions commit.
 */
export async function readRecent(
  execution: Execution,
  scope: Scope,
  query: RecentQuery,
): Promise<RecentResponse> {
  const limit = query.limit ?? pageLimitDefault
  if (query.since !== undefined && query.before !== undefined) {
    throw invalidField('before', 'must not be given together with since')
  }
  if (query.since === undefined)
    return newestPage(execution, scope, await presentCursor(execution), query.before, limit)
  const position = await positionOf(execution, scope, query.since)
  if (position.resync) {
    return { ...(await newestPage(execution, scope, position.cursor, undefined, limit)), resync: true }
  }
  const page = await readChanges(execution.database, scope, position.cursor, limit)
  const ids = new Set(page.rows.flatMap((row) => (row.prompt_id ? [row.prompt_id] : [])))
  const changed = ids.size > 0 ? await readChangedViews(execution.database, [...ids]) : []
  return {
    entities: changed.map(({ view }) => view),
    as_of: execution.clock.now().toISOString(),
    cursor: encodeCursor(page.cursor),
    has_more: page.hasMore,
    before: null,
  }
}

async function newestPage(
  execution: Execution,
  scope: Scope,
  cursor: Cursor,
  before: string | undefined,
  limit: number,
): Promise<RecentResponse> {
  const place = before === undefined ? null : decodePageKey('before', before)
  const views = await readNewestViews(execution.database, scope, { before: place, limit: limit + 1 })
  const entities = views.slice(0, limit)
  const last = entities.at(-1)
  const hasMore = views.length > limit
  return {
    entities,
    as_of: execution.clock.now().toISOString(),
    cursor: encodeCursor(cursor),
    has_more: hasMore,
    before: hasMore && last ? encodePageKey(last) : null,
  }
}
