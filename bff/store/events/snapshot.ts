import { sql } from 'drizzle-orm'
import type { Queryable, Tx } from '../database/database.ts'
import { moment } from '../jobs/transition.ts'
import { owned } from './owned.ts'

/** The present moment of the database, as `pg_snapshot` text, ending right behind the newest event. */
export async function currentSnapshot(queryable: Queryable): Promise<string> {
  const { snapshot, newest } = await readSnapshot(queryable)
  return endingAt(snapshot, newest)
}

/**
 * The moment at which this transaction's own rows become visible and nothing later is: read inside it, so that a client
 * who goes on from there is neither told again what it did itself, nor misses what somebody does with it meanwhile.
 *
 * A snapshot leaves the reader's own transaction out of its list, and ends before it when no later one has ended yet.
 * Then the end is moved behind it; what lies between is still under way, since the snapshot ended at the first such.
 */
export async function ownSnapshot(tx: Tx): Promise<string> {
  const { snapshot, newest, own } = await readSnapshot(tx, sql`pg_current_xact_id()::text`)
  const { xmin, xmax, running } = snapshot
  if (own < xmax) return endingAt(snapshot, largest(newest, own))
  const underWay = [...running]
  for (let between = xmax; between < own; between += 1n) underWay.push(between)
  return textOf({ xmin, xmax: own + 1n, running: underWay })
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

interface Snapshot {
  xmin: bigint
  xmax: bigint
  running: readonly bigint[]
}

/** One statement, hence one moment. `newest` is the last transaction that wrote an event which is still here. */
async function readSnapshot(
  queryable: Queryable,
  own = sql`'0'`,
): Promise<{ snapshot: Snapshot; newest: bigint; own: bigint }> {
  const [row] = await queryable.rows<{ snapshot: string; newest: string; own: string }>(sql`
    select pg_current_snapshot()::text as snapshot, ${own} as own,
      coalesce((select max(tx)::text from event), '0') as newest`)
  if (!row) throw new Error('a snapshot is always one row')
  const [xmin = '', xmax = '', running = ''] = row.snapshot.split(':')
  return {
    snapshot: {
      xmin: BigInt(xmin),
      xmax: BigInt(xmax),
      running: running === '' ? [] : running.split(',').map(BigInt),
    },
    newest: BigInt(row.newest),
    own: BigInt(row.own),
  }
}

/**
 * The snapshot, ending right behind `last`. Nothing is lost or repeated by it, since no later transaction wrote an
 * event. But a position that goes further is not safe: a transaction that rolled back, or only notified, takes an id and
 * need not reach the disk. After a crash the database gives the same id out again, and what that transaction writes
 * would count as seen. Archival never takes the newest event, so the end is not below its floor.
 */
function endingAt({ xmin, xmax, running }: Snapshot, last: bigint): string {
  const end = smallest(last + 1n, xmax)
  return textOf({ xmin: smallest(xmin, end), xmax: end, running: running.filter((id) => id < end) })
}

function textOf({ xmin, xmax, running }: Snapshot): string {
  return `${xmin}:${xmax}:${running.join(',')}`
}

// Math.min and Math.max take no bigint.
function smallest(one: bigint, other: bigint): bigint {
  if (other < one) return other
  return one
}

function largest(one: bigint, other: bigint): bigint {
  if (other > one) return other
  return one
}
