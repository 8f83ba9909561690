import type { Signal } from '../../../../domain/signals.ts'
import type { Tx } from '../../database.ts'

/** The same transaction, whose signals are also added to `said`; those of a savepoint once it is released. */
export function listeningTx(tx: Tx, said: Signal[]): Tx {
  return {
    rows: (statement) => tx.rows(statement),
    signal(signal) {
      said.push(signal)
      tx.signal(signal)
    },
    async transaction(work) {
      const inner: Signal[] = []
      const result = await tx.transaction((nested) => work(listeningTx(nested, inner)))
      said.push(...inner)
      return result
    },
  }
}
