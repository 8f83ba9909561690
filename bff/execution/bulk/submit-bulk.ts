import { DomainError } from '../../domain/errors.ts'
import { newestLeaves, readPrompts } from '../../store/entities/read-prompts.ts'
import { readBatchProgress } from '../../store/jobs/batches/read-batch.ts'
import { recordBatch } from '../../store/jobs/batches/record-batch.ts'
import { insertPrompts, type NewPrompt, PredecessorMovedError } from '../../store/jobs/insert-prompts.ts'
import type { Execution, Scope } from '../context.ts'
import { announcedAfter, newJobs } from '../submit-queue.ts'
import { type BulkLine, type BulkOutcome, lineName } from './bulk-line.ts'
import { placeLines, type StoredPlaces } from './place-lines.ts'
import { type PreparedBulk, prepareBulk } from './prepare-bulk.ts'

/** `batchId` is null when nothing of the request is there: then there is no batch. */
export interface BulkResult {
  batchId: string | null
  outcomes: BulkOutcome[]
}

/** Each time one of them had something else to do with the same prompts; more often is no coincidence. */
const triesMax = 50

/**
 * Accepts many prompts in one transaction, with an outcome for each. Without `atomic` the good lines are kept and the bad
 * ones named; with it, one bad line refuses all. Lines may name ids of the same request in any order. The same request
 * again adds nothing and answers the same ids.
 */
export async function submitBulk(
  execution: Execution,
  scope: Scope,
  request: { lines: readonly BulkLine[]; atomic: boolean },
): Promise<BulkResult> {
  const bulk = prepareBulk(execution, scope, request.lines)
  for (let tries = 1; ; tries++) {
    const { outcomes, rows } = placeLines(bulk, await readPlaces(execution, bulk))
    const refused = outcomes.filter(({ status }) => status === 'refused')
    try {
      if (request.atomic && refused.length > 0)
        return await answer(execution, scope, bulk, allRefused(outcomes))
      if (rows.length > 0) await store(execution, scope, bulk.batchId, rows)
      execution.log.info(
        { batch_id: bulk.batchId, accepted: rows.length, refused: refused.length },
        'bulk request accepted',
      )
      return await answer(execution, scope, bulk, outcomes)
    } catch (error) {
      const overtaken = error instanceof PredecessorMovedError || error instanceof OvertakenError
      if (!overtaken || tries === triesMax) throw error
    }
  }
}

async function readPlaces({ database, clock }: Execution, bulk: PreparedBulk): Promise<StoredPlaces> {
  const prepared = bulk.lines.flatMap((line) => (line.prepared instanceof DomainError ? [] : [line.prepared]))
  const named = prepared.flatMap(({ promptId, parentId, rootId, afterId }) => [
    promptId,
    parentId,
    rootId,
    afterId,
  ])
  const ids = [...new Set(named.filter((id) => id !== null))]
  const prompts = new Map((await readPrompts(database, ids)).map((row) => [row.id, row]))
  const threads = new Set(prepared.flatMap(({ rootId }) => prompts.get(rootId ?? '')?.correlation_id ?? []))
  const leaves = threads.size > 0 ? await newestLeaves(database, [...threads]) : []
  return { prompts, leaves, now: clock.now() }
}

/** @throws OvertakenError, with nothing stored, when another stored some of the same prompts in between. */
async function store(
  { database, clock, settings }: Execution,
  scope: Scope,
  batchId: string,
  rows: readonly NewPrompt[],
): Promise<void> {
  const now = clock.now()
  await database.transaction(async (tx) => {
    await recordBatch(tx, { id: batchId, ...scope, added: rows.length, now })
    const stored = await insertPrompts(tx, rows, { orgConcurrency: settings.orgConcurrency, now })
    if (stored.size < rows.length) throw new OvertakenError()
  }, announcedAfter)
}

/** Others stored what this request was about to, the same request sent twice at once for example. */
class OvertakenError extends Error {
  constructor() {
    super('some of these prompts were stored meanwhile')
    this.name = 'OvertakenError'
  }
}

async function answer(
  { database }: Execution,
  { orgId, personId }: Scope,
  { batchId }: PreparedBulk,
  outcomes: BulkOutcome[],
): Promise<BulkResult> {
  const has = (status: BulkOutcome['status']) => outcomes.some((outcome) => outcome.status === status)
  if (!has('already_accepted')) return { batchId: has('accepted') ? batchId : null, outcomes }
  const progress = await readBatchProgress(database, { batchId, orgId, personId })
  // Who sends again may have had no answer because we ended before others were told.
  if (progress === null || progress.queued > 0) await database.announce(newJobs)
  return { batchId: progress === null ? null : batchId, outcomes }
}

/** What was accepted before stays; of this request nothing is kept. */
function allRefused(outcomes: readonly BulkOutcome[]): BulkOutcome[] {
  const bad = outcomes.filter(({ status }) => status === 'refused').map(({ index }) => lineName(index))
  const shown = bad.length > 20 ? `${bad.slice(0, 20).join(', ')} and more` : bad.join(', ')
  return outcomes.map((outcome) => {
    if (outcome.status !== 'accepted') return outcome
    const { index, promptId } = outcome
    const message = `was not kept: the request is all or nothing, and ${shown} ${bad.length > 1 ? 'were' : 'was'} refused`
    const error = new DomainError('invalid_request', `${lineName(index)} ${message}.`, {
      errors: [{ field: lineName(index), message }],
    })
    return { index, status: 'refused', promptId, error }
  })
}
