import { AsyncLocalStorage } from 'node:async_hooks'

/** Finds the use of a database inside one of its own transactions. */
export interface NestingGuard {
  /** Runs a transaction, whose own work goes through the function it is given. */
  inside<T>(transaction: (marked: (work: () => Promise<T>) => Promise<T>) => Promise<T>): Promise<T>
  /** @throws Error inside a transaction that is still open. */
  assertOutside(verb: string): void
}

/**
 * A guard for tests, on both databases: what waits for the one connection of PGlite while it holds it waits for ever, and
 * on PostgreSQL it only does when all are taken. It follows every promise of the process, which costs a fifth of its time,
 * so that the product goes without.
 */
export function nestingGuard(): NestingGuard {
  const current = new AsyncLocalStorage<{ open: boolean }>()
  return {
    async inside(transaction) {
      // Work that outlives its transaction (a timer it started) inherits the mark, hence `open`.
      const mark = { open: true }
      try {
        return await transaction((work) => current.run(mark, work))
      } finally {
        mark.open = false
      }
    },
    assertOutside(verb) {
      if (!current.getStore()?.open) return
      throw new Error(
        `database.${verb} inside database.transaction waits for itself: use the tx it was given`,
      )
    },
  }
}

export const noGuard: NestingGuard = {
  inside: (transaction) => transaction((work) => work()),
  assertOutside() {},
}
