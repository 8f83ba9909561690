import { type SQL, sql } from 'drizzle-orm'
import type { Queryable, Tx } from '../database/database.ts'
import { moment } from '../jobs/transition.ts'
import type { Cursor } from './cursor.ts'

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

/** The present moment of the database, as `pg_snapshot` text. */
export async function currentSnapshot(queryable: Queryable): Promise<string> {
  const [row] = await queryable.rows<{ snapshot: string }>(
    sql`select pg_current_snapshot()::text as snapshot`,
  )
  if (!row) throw new Error('a snapshot is always one row')
  return row.snapshot
}

/**
 * The moment at which this transaction's own rows become visible and nothing later is: read inside it, so that a client
 * who goes on from there is neither told again what it did itself, nor misses what somebody does with it meanwhile.
 *
 * A snapshot leaves the reader's own transaction out of its list, and ends before it when no later one has ended yet.
 * Then the end is moved behind it; what lies between is still under way, since the snapshot ended at the first such.
 */
export async function ownSnapshot(tx: Tx): Promise<string> {
  const [row] = await tx.rows<{ snapshot: string; own: string }>(
    sql`select pg_current_snapshot()::text as snapshot, pg_current_xact_id()::text as own`,
  )
  if (!row) throw new Error('a snapshot is always one row')
  const [xmin = '', xmax = '', running = ''] = row.snapshot.split(':')
  const own = BigInt(row.own)
  if (own < BigInt(xmax)) return row.snapshot
  const underWay = running === '' ? [] : running.split(',')
  for (let between = BigInt(xmax); between < own; between += 1n) underWay.push(String(between))
  return `${xmin}:${own + 1n}:${underWay.join(',')}`
}

/**
 * The snapshot from which everything since `at` is new. The overlap makes it safe (a transaction writes its time before
 * it commits), merging by revision makes the repetition harmless.
 */
export async function snapshotSince(
  queryable: Queryable,
  owner: { orgId: string; personId: string },
  at: Date,
  overlapMs: number,
): Promise<string> {
  const [row] = await queryable.rows<{ tx: string | null }>(sql`
    select min(tx)::text as tx from (
      select tx from event where ${owned(owner)} at >= ${moment(new Date(at.getTime() - overlapMs))}
      -- Else the planner, which expects to meet a third of them, walks the owner's events from the first one on.
      offset 0) later`)
  return row?.tx ? `${row.tx}:${row.tx}:` : currentSnapshot(queryable)
}

/** Facts about this database as a whole. `eventFloor` is the lowest `tx` whose events are all still here. */
export async function readMeta(queryable: Queryable): Promise<{ epoch: string; eventFloor: string }> {
  const rows = await queryable.rows<{ key: string; value: unknown }>(sql`select key, value from meta`)
  const facts = new Map(rows.map((row) => [row.key, String(row.value)]))
  return { epoch: facts.get('epoch') ?? 'none', eventFloor: facts.get('event_floor') ?? '0' }
}

function owned(owner: { orgId: string; personId: string } | null): SQL {
  return owner ? sql`org_id = ${owner.orgId}::uuid and owner = ${owner.personId}::uuid and` : sql``
}

/** Left out on the first page, where it would cost a scan. */
function after(cursor: Cursor): SQL {
  return cursor.tx === undefined ? sql`` : sql`and (tx, seq) > (${cursor.tx}::xid8, ${cursor.seq}::bigint)`
}
