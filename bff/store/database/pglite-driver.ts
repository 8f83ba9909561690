import type { PGlite } from '@electric-sql/pglite'
import type { Driver, Run } from './driver.ts'
import { rowParsers } from './row-values.ts'
import { toStatementError } from './statement-error.ts'

/**
 * PGlite runs its queries on the event loop, one at a time. The connection changes hands by way of `setImmediate`,
 * so that a queue of transactions, or a loop of them, lets timers and sockets have their turn in between.
 */
export function pgliteDriver(pglite: PGlite): Driver {
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

  return {
    kind: 'pglite',

    async hold(work) {
      if (held) await new Promise<void>((resolve) => waiting.push(resolve))
      held = true
      try {
        return await work(run)
      } finally {
        setImmediate(release)
      }
    },

    close: () => pglite.close(),
  }
}
