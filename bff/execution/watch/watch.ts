import type { Log } from '../../domain/ports.ts'
import type { JobMove, RunReport } from '../../domain/watched-facts.ts'
import type { Database } from '../../store/database/database.ts'
import { tellTransition } from './tell-transition.ts'

/**
 * What this process does to jobs, for whoever watches it: metrics and traces. A listener that throws is logged and
 * harms nobody; work never waits for one.
 */
export interface Watch {
  /** Hears of every move that this process committed. @returns a function that ends the subscription. */
  onMove(listener: (move: JobMove) => void): () => void
  /** Hears of every run of this process once it is over, whether it could settle or not. */
  onRun(listener: (run: RunReport) => void): () => void
  tellRun(run: RunReport): void
  /** Logs and tells nothing more. */
  close(): void
}

/** Writes one line of the log for each move, too (DESIGN §13). */
export function createWatch({ database, log }: { database: Database; log: Log }): Watch {
  const moves = new Set<(move: JobMove) => void>()
  const runs = new Set<(run: RunReport) => void>()
  const unsubscribe = database.signals.subscribe('job-moved', ({ move }) => {
    tellTransition(log, move)
    tellAll(moves, move, log)
  })
  return {
    onMove: (listener) => add(moves, listener),
    onRun: (listener) => add(runs, listener),
    tellRun: (run) => tellAll(runs, run, log),
    close: unsubscribe,
  }
}

function add<Fact>(listeners: Set<(fact: Fact) => void>, listener: (fact: Fact) => void): () => void {
  const entry = (fact: Fact): void => listener(fact)
  listeners.add(entry)
  return () => {
    listeners.delete(entry)
  }
}

function tellAll<Fact>(listeners: ReadonlySet<(fact: Fact) => void>, fact: Fact, log: Log): void {
  for (const listener of listeners) {
    try {
      listener(fact)
    } catch (error) {
      log.error({ err: error }, 'a watcher failed')
    }
  }
}
