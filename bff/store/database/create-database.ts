import type { SQL } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import { DomainError } from '../../domain/errors.ts'
import type { Database } from './database.ts'
import type { Driver, Run } from './driver.ts'
import { type NestingGuard, noGuard } from './nesting-guard.ts'
import { createSignals, type Signals } from './signals.ts'
import { parameterTexts } from './sql-values.ts'
import { type HeldConnection, withTransaction } from './with-transaction.ts'

export interface DatabaseParts {
  signals?: Signals | undefined
  guard?: NestingGuard | undefined
}

/** Builds the one way to the data on a driver. Who opens a driver gives it away: `close` closes it. */
export function createDatabase(
  driver: Driver,
  { signals = createSignals(), guard = noGuard }: DatabaseParts = {},
): Database {
  let statements = 0
  let closed: Promise<void> | undefined
  let held = 0
  let whenFree: (() => void) | undefined

  const counted = (run: Run): HeldConnection => {
    const countedRun: Run = (text, parameters) => {
      statements += 1
      return run(text, parameters)
    }
    return { run: countedRun, rows: (statement) => rowsOf(countedRun, statement) }
  }

  const hold: Driver['hold'] = async (work) => {
    if (closed) throw new DomainError('database_unavailable', 'The database is closed.')
    held += 1
    try {
      return await driver.hold(work)
    } finally {
      held -= 1
      if (held === 0) whenFree?.()
    }
  }

  const closeWhenFree = async (): Promise<void> => {
    if (held > 0) await new Promise<void>((resolve) => (whenFree = resolve))
    await driver.close()
  }

  return {
    kind: driver.kind,
    signals,
    broadcast: null,

    async rows<Row extends object>(statement: SQL) {
      guard.assertOutside('rows')
      return hold((run) => counted(run).rows<Row>(statement))
    },

    async transaction(work, options) {
      guard.assertOutside('transaction')
      return hold((run) =>
        guard.inside((marked) =>
          withTransaction(
            counted(run),
            (tx) => marked(() => work(tx)),
            (committed) => signals.publish(committed),
            options,
          ),
        ),
      )
    },

    async announce(said) {
      guard.assertOutside('announce')
      signals.publish(said)
    },

    statementCount: () => statements,

    close() {
      guard.assertOutside('close')
      closed ??= closeWhenFree()
      return closed
    },
  }
}

const dialect = new PgDialect()

async function rowsOf<Row extends object>(run: Run, statement: SQL): Promise<Row[]> {
  const { sql, params } = dialect.sqlToQuery(statement)
  return asRows<Row>(await run(sql, parameterTexts(params)))
}

/** The caller wrote the statement and says what it returns; `rowParsers` made the values, alike on both databases. */
function asRows<Row extends object>(rows: object[]): Row[] {
  return rows as Row[]
}
