import type { PGlite } from '@electric-sql/pglite'
import type { Driver, Run } from '../driver.ts'
import { pgliteStatements } from './pglite-statements.ts'

/**
 * PGlite runs its queries on the event loop, one at a time. The connection changes hands by way of `setImmediate`,
 * so that a queue of transactions, or a loop of them, lets timers and sockets have their turn in between.
 */
export function pgliteDriver(pglite: PGlite): Driver {
  const waiting: (() => void)[] = []
  let held = false
  const run = pgliteStatements(pglite)

  const release = (): void => {
    const next = waiting.shift()
    if (next) next()
    else held = false
  }

  return {
    kind: 'pglite',

    async hold(work) {
      if (held) await new Promise<void>((resolve) => waiting.push(resolve))
      held = true
      try {
        return await work(inOrder(run))
      } finally {
        setImmediate(release)
      }
    },

    close: () => pglite.close(),
  }
}

/** Statements that are sent without waiting for one another run in the order in which they were sent. */
function inOrder(run: Run): Run {
  let last: Promise<unknown> | null = null
  return (text, parameters) => {
    const next = last === null ? run(text, parameters) : last.then(() => run(text, parameters))
    const done = next.then(
      () => {},
      () => {},
    )
    last = done
    void done.then(() => {
      if (last === done) last = null
    })
    return next
  }
}
