import { DomainError } from '../../domain/errors.ts'
import { type Cursor, decodeCursor } from '../../store/events/cursor.ts'
import { readMeta } from '../../store/events/read-changes.ts'
import { currentSnapshot, snapshotSince } from '../../store/events/snapshot.ts'
import type { Execution, Scope } from '../context.ts'

const sinceOverlapMs = 60_000

/** Where a client goes on: at its cursor, or it has to start anew from `fresh`. */
export type Position = { cursor: Cursor; resync: false } | { cursor: Cursor; resync: true }

/**
 * What `since` means: a cursor of this server, or an ISO 8601 time. A cursor of another epoch, or older than the events
 * that are still here, is answered with a resync, never with silence.
 *
 * @throws DomainError `malformed_cursor` for anything else.
 */
export async function positionOf(execution: Execution, scope: Scope, since: string): Promise<Position> {
  const time = isoTime(since)
  if (time) {
    const { epoch } = await execution.meta()
    const from = await snapshotSince(execution.database, scope, time, sinceOverlapMs)
    return { cursor: { epoch, from }, resync: false }
  }
  const cursor = decodeCursor(since)
  // Looked up each time: an archival, perhaps of another process, raises the floor while servers run. One that falls
  // between this and the reading hides no prompt, for the job that replaced an archived one has its events later.
  const { epoch, eventFloor } = await readMeta(execution.database)
  const xmin = cursor.from.slice(0, cursor.from.indexOf(':'))
  if (cursor.epoch !== epoch || BigInt(xmin) < BigInt(eventFloor)) {
    return { cursor: await presentCursor(execution), resync: true }
  }
  return { cursor, resync: false }
}

/** The present moment as a cursor. */
export async function presentCursor(execution: Execution): Promise<Cursor> {
  const { epoch } = await execution.meta()
  return { epoch, from: await currentSnapshot(execution.database) }
}

function isoTime(text: string): Date | null {
  if (!/^\d{4}-\d{2}-\d{2}T/.test(text)) return null
  const date = new Date(text)
  // Before 1970 there is nothing; what lies before year 1 PostgreSQL could not even read.
  if (!Number.isNaN(date.getTime())) return new Date(Math.max(date.getTime(), sinceOverlapMs))
  const message = 'is not a time'
  throw new DomainError('malformed_cursor', `since ${message}.`, { errors: [{ field: 'since', message }] })
}
