import type { Database, Tx } from '../../store/database/database.ts'
import { dead } from './interposed-database.ts'
import { turn } from './until.ts'

/** The database of a process that dies at one of the points that it passes. */
export interface MortalDatabase {
  readonly database: Database
  /** How many points were passed so far: before and after each access, and after each statement of a transaction. */
  passed(): number
  /** Resolves at the death. */
  readonly died: Promise<void>
  /** Resolves when no access has been under way for a while of turns: what was set off has come to its end. */
  quiet(): Promise<void>
}

const calmTurns = 12

/**
 * The same database, for a process that dies at its point number `diesAt` (from 0): a transaction that is open then
 * rolls back, as it does when its connection is gone, and nothing that the process was about to do next ever happens.
 */
export function mortalDatabase(database: Database, diesAt = Number.POSITIVE_INFINITY): MortalDatabase {
  let points = 0
  let isDead = false
  let underWay = 0
  let announce = (): void => {}
  const died = new Promise<void>((resolve) => {
    announce = resolve
  })

  const survives = (): boolean => {
    if (!isDead && points === diesAt) {
      isDead = true
      announce()
    }
    points += 1
    return !isDead
  }

  const access = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (!survives()) return dead()
    underWay += 1
    const outcome = await work().then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    )
    underWay -= 1
    if (!survives()) return dead()
    if ('error' in outcome) throw outcome.error
    return outcome.result
  }

  const mortalTx = (tx: Tx): Tx => ({
    ...tx,
    async rows<Row extends object>(statement: Parameters<Tx['rows']>[0]) {
      const rows = await tx.rows<Row>(statement)
      if (!survives()) throw new Error('the process died in a transaction')
      return rows
    },
    transaction: (work) => tx.transaction((inner) => work(mortalTx(inner))),
  })

  return {
    database: {
      ...database,
      rows: (statement) => access(() => database.rows(statement)),
      transaction: (work, options) =>
        access(() =>
          database.transaction(async (tx) => {
            const result = await work(mortalTx(tx))
            if (isDead) throw new Error('the process died in a transaction')
            return result
          }, options),
        ),
    },
    passed: () => points,
    died,
    async quiet() {
      for (let calm = 0; calm < calmTurns; calm++) {
        await turn()
        if (underWay > 0) calm = 0
      }
    },
  }
}
