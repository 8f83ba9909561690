import type { SQL } from 'drizzle-orm'
import type { Signal } from '../../domain/signals.ts'
import type { Broadcast } from './broadcast.ts'
import type { Signals } from './signals.ts'

/**
 * Something that runs one statement at a time.
 *
 * Rows are equal on PGlite and PostgreSQL: `timestamptz` is a `Date`, `int8`, `numeric` and counts are numbers,
 * `xid8` and `pg_snapshot` are strings, `jsonb` is parsed, arrays are arrays, absent values are `null`.
 * Parameters in `sql` templates may be strings, numbers, bigints, booleans, Dates and null; arrays go through
 * `sqlArray`, JSON through `sqlJson`. A parameter whose type PostgreSQL cannot infer needs a cast: `${n}::int`.
 *
 * `Row` is what the statement is written to return; nothing checks it at run time.
 *
 * @throws StatementError when the database refuses the statement.
 * @throws DomainError `database_unavailable` when it cannot be reached.
 */
export interface Queryable {
  rows<Row extends object>(statement: SQL): Promise<Row[]>
}

/** An open transaction. It ends with the function it was given to; used afterwards it throws. */
export interface Tx extends Queryable {
  /** Announces what this transaction does; it is heard after the outermost commit, and never after a rollback. */
  signal(signal: Signal): void
  /** A savepoint: a failure inside undoes and unsays only what happened inside, if the caller catches it. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
}

export interface TransactionOptions {
  /** The default is the database's own, read committed. */
  isolation?: 'repeatable read' | 'serializable'
  /**
   * How other processes hear what it signals. `inside`, the default: with the commit itself, which takes a lock of the
   * whole cluster. `after`: right behind the commit, together with what others say then, and the transaction resolves
   * once it was sent; whoever asked and got no answer asks again, and that says it again (`announce`).
   */
  announce?: 'inside' | 'after'
  /** Hears of what was signalled once all is done, and makes of it a last statement that travels with COMMIT. */
  along?: (signals: readonly Signal[]) => SQL | null
}

/**
 * The one way to the data. Inside `transaction` only its `tx` may be used: PGlite has one connection, and waiting
 * for it while holding it never ends, so that mistake throws at once, on both databases, in tests (`nesting-guard.ts`).
 * No network and no model call inside: one open transaction blocks every other query on PGlite.
 */
export interface Database extends Queryable {
  readonly kind: 'pglite' | 'postgres'
  readonly signals: Signals
  /** To and from the other processes on this database; null where there are none. */
  readonly broadcast: Broadcast | null
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>
  /** Says again what was committed before, here and to other processes; resolves once it was sent. */
  announce(signals: readonly Signal[]): Promise<void>
  /** Statements run so far, BEGIN and COMMIT included: proof of idleness, and a cost for benchmarks. */
  statementCount(): number
  /** Waits for what is running, then lets go of the data. A second call returns the first one's promise. */
  close(): Promise<void>
}
