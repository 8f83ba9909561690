import { PGlite } from '@electric-sql/pglite'
import { createDatabase } from './create-database.ts'
import type { Database } from './database.ts'
import type { Driver, Run } from './driver.ts'
import { rowParsers } from './row-values.ts'
import { toStatementError } from './statement-error.ts'

export interface InMemoryOptions {
  /** A dump made by `dumpDataDir`; without it an empty database is initialised, which takes seconds. */
  from?: Blob
}

/** A database that is gone when its process is: for tests. `dump` gives what `from` takes. */
export async function openInMemory(
  options: InMemoryOptions = {},
): Promise<{ database: Database; dump(): Promise<Blob> }> {
  const pglite = await PGlite.create({ ...(options.from ? { loadDataDir: options.from } : {}) })
  return { database: createDatabase(pgliteDriver(pglite)), dump: () => pglite.dumpDataDir('none') }
}

/**
 * PGlite runs its queries on the event loop, one at a time. The connection changes hands by way of `setImmediate`,
 * so that a queue of transactions, or a loop of them, lets timers and sockets have their turn in between.
 */
function pgliteDriver(pglite: PGlite): Driver {
  const waiting: (() => void)[] = []
  let held = false

  const release = (): void => {
    const next = waiting.shift()
    if (next) next()
    else held = false
  }

  const run: Run = async (text, parameters = []) => {
    try {
      const { rows } = await pglite.query<object>(text, [...parameters], { parsers: rowParsers })
      return rows
    } catch (error) {
      throw toStatementError(error) ?? error
    }
  }

  const hold: Driver['hold'] = async (work) => {
    if (held) await new Promise<void>((resolve) => waiting.push(resolve))
    held = true
    try {
      return await work(run)
    } finally {
      setImmediate(release)
    }
  }

  return {
    kind: 'pglite',
    hold,
    close: () => pglite.close(),
  }
}
