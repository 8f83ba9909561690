import { sql } from 'drizzle-orm'
import { errorKind, jobState } from '../../../shared/job.ts'
import type { JobMove } from '../../domain/watched-facts.ts'
import type { Tx } from '../database/database.ts'
import type { LedgerEntry } from './ledger-row.ts'

/** What a statement returns of its CTE `moved` so that `tellMoves` can tell of it. */
export interface MovedRow {
  id: string
  prompt_id: string
  org_id: string
  run: number
  event_kind: string
  event_data: Record<string, unknown>
}

/** The columns of `MovedRow`, to be selected from `moved`. */
export const movedColumns = sql`id, prompt_id, org_id, run, event_kind, event_data`

/** What the rows do not say themselves. */
export type MoveWords = { by: string } & Partial<
  Pick<JobMove, 'from' | 'provider' | 'queuedMs' | 'runMs' | 'firstTokenMs'>
>

/**
 * Tells what a statement did to jobs, once its transaction has committed: one line of the log each, and the metrics.
 * Every statement that moves a job says so here, in the words of the events that it wrote.
 */
export function tellMoves(tx: Tx, rows: readonly MovedRow[], words: MoveWords): void {
  for (const row of rows) tx.signal({ topic: 'job-moved', move: moveOf(row, words) })
}

/** The same of one job, for who has its facts at hand. */
export function tellMove(
  tx: Tx,
  job: Pick<JobMove, 'jobId' | 'promptId' | 'orgId' | 'run'> & Partial<JobMove>,
  move: Pick<JobMove, 'kind' | 'from' | 'to' | 'by'>,
): void {
  const { jobId, promptId, orgId, run, attempt = null, provider = null, queuedMs = null } = job
  const ids = { jobId, promptId, orgId, run, attempt, provider, queuedMs }
  tx.signal({ topic: 'job-moved', move: { ...unknown, ...ids, ...move } })
}

const unknown = {
  attempt: null,
  errorKind: null,
  retryAt: null,
  provider: null,
  queuedMs: null,
  runMs: null,
  firstTokenMs: null,
}

/** What a run that its holder settles knows of itself. */
export function runWords(run: { startedAt: Date; ledger: LedgerEntry; now: Date }): MoveWords {
  const { provider, firstTokenMs } = run.ledger
  const runMs = Math.max(0, run.now.getTime() - run.startedAt.getTime())
  return { by: 'claim holder', provider, firstTokenMs, runMs }
}

function moveOf(row: MovedRow, words: MoveWords): JobMove {
  const { from, to, error_kind, attempt, actor, retry_at } = row.event_data
  return {
    jobId: row.id,
    promptId: row.prompt_id,
    orgId: row.org_id,
    run: row.run,
    kind: row.event_kind,
    from: from == null ? null : jobState.parse(from),
    to: jobState.parse(to),
    ...unknown,
    attempt: typeof attempt === 'number' ? attempt : null,
    errorKind: error_kind == null ? null : errorKind.parse(error_kind),
    retryAt: typeof retry_at === 'string' ? retry_at : null,
    ...words,
    by: typeof actor === 'string' ? actor : words.by,
  }
}
