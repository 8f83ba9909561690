import type { SQL } from 'drizzle-orm'
import type { Signal } from '../../domain/signals.ts'
import type { TransactionOptions, Tx } from './database.ts'
import type { Run } from './driver.ts'
import { StatementError } from './statement-error.ts'

export interface HeldConnection {
  run: Run
  /** Runs a drizzle statement on the same connection. */
  rows<Row extends object>(statement: SQL): Promise<Row[]>
}

/**
 * Runs `work` in a transaction on a connection that nobody else uses, and hands over its signals once COMMIT is
 * answered. When the connection is lost after COMMIT was sent, nobody knows whether it committed: then the signals
 * go out too, for a listener looks before it acts, and the error is thrown all the same. Only what would be told as a
 * fact (`job-moved`) is not told then.
 *
 * A statement that failed makes its transaction or savepoint fail, even if `work` caught the error: the database
 * has given it up by then, and COMMIT would quietly roll back.
 */
export async function withTransaction<T>(
  connection: HeldConnection,
  work: (tx: Tx) => Promise<T>,
  publish: (signals: readonly Signal[]) => void,
  options: TransactionOptions = {},
): Promise<T> {
  const scope = openScope()
  // Not waited for: it travels with the first statement, and whatever fails it fails that one too.
  const begun = connection.run(options.isolation ? `begin isolation level ${options.isolation}` : 'begin')
  begun.catch(() => {})
  let result: T
  try {
    result = await settle(scope, work(txOf(connection, scope, 1)))
    await begun
  } catch (error) {
    // A lost connection cannot be told to roll back, and need not be: the first error is the one that matters.
    await connection.run('rollback').catch(() => {})
    throw error
  }
  const last = options.along?.(scope.signals) ?? null
  const [told, committed] = await Promise.allSettled([
    last === null ? null : connection.rows(last),
    connection.run('commit'),
  ])
  // What the last statement fails, COMMIT quietly rolls back.
  if (told.status === 'rejected' && told.reason instanceof StatementError) throw told.reason
  if (committed.status === 'rejected') {
    if (!(committed.reason instanceof StatementError))
      publish(scope.signals.filter(({ topic }) => topic !== 'job-moved'))
    throw committed.reason
  }
  publish(scope.signals)
  return result
}

/** A transaction or a savepoint while its function runs. */
interface Scope {
  open: boolean
  /** The savepoint inside it, whose fate a statement of this scope would share unseen. */
  inner?: Scope
  failure: unknown
  readonly signals: Signal[]
}

function openScope(): Scope {
  return { open: true, failure: undefined, signals: [] }
}

async function settle<T>(scope: Scope, work: Promise<T>): Promise<T> {
  try {
    const result = await work
    if (scope.failure !== undefined) throw scope.failure
    return result
  } finally {
    scope.open = false
  }
}

function txOf(connection: HeldConnection, scope: Scope, depth: number): Tx {
  const assertOpen = (): void => {
    if (!scope.open) throw new Error('This transaction is over; a statement in it was not awaited')
    if (scope.inner?.open) throw new Error('A savepoint of this transaction is open: use the tx it was given')
  }
  return {
    async rows<Row extends object>(statement: SQL) {
      assertOpen()
      try {
        return await connection.rows<Row>(statement)
      } catch (error) {
        scope.failure ??= error
        throw error
      }
    },

    signal(signal) {
      assertOpen()
      scope.signals.push(signal)
    },

    async transaction(work) {
      assertOpen()
      const inner = openScope()
      scope.inner = inner
      const name = `s${depth}`
      await connection.run(`savepoint ${name}`)
      let result: Awaited<ReturnType<typeof work>>
      try {
        result = await settle(inner, work(txOf(connection, inner, depth + 1)))
      } catch (error) {
        await connection.run(`rollback to savepoint ${name}`).catch((lost: unknown) => {
          scope.failure ??= lost
        })
        throw error
      }
      await connection.run(`release savepoint ${name}`)
      scope.signals.push(...inner.signals)
      return result
    },
  }
}
