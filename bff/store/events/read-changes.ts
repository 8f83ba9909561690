import { type SQL, sql } from 'drizzle-orm'
import type { Queryable } from '../database/database.ts'
import type { Cursor } from './cursor.ts'
import { owned } from './owned.ts'
import { currentSnapshot } from './snapshot.ts'

/** One event as the feed needs it. */
export interface ChangeRow {
  seq: number
  tx: string
  org_id: string
  owner: string
  prompt_id: string | null
  job_id: string | null
  kind: string
  data: Record<string, unknown>
}

export interface ChangePage {
  rows: ChangeRow[]
  /** The two snapshots between which the rows lie. */
  from: string
  upto: string
  /** Where the next page goes on, or, when `hasMore` is false, from where the next reading does. The next page may be empty. */
  cursor: Cursor
  hasMore: boolean
}

/**
 * The events that a client at `cursor` has not seen, `limit` at most: those not visible in the old snapshot and visible
 * in the new one, however late their transactions committed. The new snapshot is fixed at the first page; a client that
 * comes back with a position inside a page may come long after, so behind the last of such pages there may be more.
 *
 * @param owner whose events; null reads everybody's, for the one reader of a process.
 */
export async function readChanges(
  queryable: Queryable,
  owner: { orgId: string; personId: string } | null,
  cursor: Cursor,
  limit: number,
): Promise<ChangePage> {
  const upto = cursor.upto ?? (await currentSnapshot(queryable))
  const rows = await queryable.rows<ChangeRow>(sql`
    select seq, tx::text as tx, org_id, owner, prompt_id, job_id, kind, data from event
    where ${owned(owner)} tx >= pg_snapshot_xmin(${cursor.from}::pg_snapshot)
      and tx < pg_snapshot_xmax(${upto}::pg_snapshot)
      and not pg_visible_in_snapshot(tx, ${cursor.from}::pg_snapshot)
      and pg_visible_in_snapshot(tx, ${upto}::pg_snapshot) ${after(cursor)}
    order by tx, seq limit ${limit + 1}::int`)
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const { epoch, from } = cursor
  return rows.length > limit && last
    ? { rows: page, from, upto, cursor: { epoch, from, upto, tx: last.tx, seq: last.seq }, hasMore: true }
    : { rows: page, from, upto, cursor: { epoch, from: upto }, hasMore: cursor.upto !== undefined }
}

/** Facts about this database as a whole. `eventFloor` is the lowest `tx` whose events are all still here. */
export async function readMeta(queryable: Queryable): Promise<{ epoch: string; eventFloor: string }> {
  const rows = await queryable.rows<{ key: string; value: unknown }>(sql`select key, value from meta`)
  const facts = new Map(rows.map((row) => [row.key, String(row.value)]))
  return { epoch: facts.get('epoch') ?? 'none', eventFloor: facts.get('event_floor') ?? '0' }
}

/** Left out on the first page, where it would cost a scan. */
function after(cursor: Cursor): SQL {
  return cursor.tx === undefined ? sql`` : sql`and (tx, seq) > (${cursor.tx}::xid8, ${cursor.seq}::bigint)`
}
