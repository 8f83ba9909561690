import type { Database } from '../../store/database/database.ts'

export type Access = 'rows' | 'transaction'

/** What happens around each access; a hook that throws makes the access fail, one that never resolves ends it there. */
export interface AccessHooks {
  before?: (access: Access) => void | Promise<void>
  /** After a transaction has committed, or a statement outside one was answered. */
  after?: (access: Access) => void | Promise<void>
}

/** The same database with a test's hooks around it: where a connection is lost, or a process dies between two writes. */
export function interposedDatabase(database: Database, hooks: AccessHooks): Database {
  const around = async <T>(access: Access, work: () => Promise<T>): Promise<T> => {
    await hooks.before?.(access)
    const result = await work()
    await hooks.after?.(access)
    return result
  }
  return {
    ...database,
    rows: (statement) => around('rows', () => database.rows(statement)),
    transaction: (work, options) => around('transaction', () => database.transaction(work, options)),
  }
}

/** A process that has died: what it was about to do next never happens. */
export function dead(): Promise<never> {
  return new Promise(() => {})
}
