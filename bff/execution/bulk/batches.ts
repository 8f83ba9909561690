import type { BatchProgress } from '../../../shared/contracts/bulk.ts'
import { notFound } from '../../domain/errors.ts'
import { readBatchProgress, readBatchPrompts } from '../../store/jobs/batches/read-batch.ts'
import type { Execution, Scope } from '../context.ts'
import { actOnPrompts } from '../queue/act-on-prompts.ts'
import type { ActionOutcome } from '../queue/action-outcome.ts'

/** How the prompts of a bulk request stand. @throws DomainError `not_found` for none, or another's. */
export async function readBatch(execution: Execution, scope: Scope, batchId: string): Promise<BatchProgress> {
  const { orgId, personId } = scope
  const progress = await readBatchProgress(execution.database, { batchId, orgId, personId })
  if (!progress) throw notFound('batch')
  const { total, created_at, ...counts } = progress
  return {
    batch_id: batchId,
    total,
    counts,
    done: counts.succeeded + counts.failed + counts.cancelled,
    created_at: created_at.toISOString(),
  }
}

/** Retries what failed of a bulk request. @throws DomainError `not_found` for none, or another's. */
export async function retryBatch(
  execution: Execution,
  scope: Scope,
  batchId: string,
): Promise<ActionOutcome[]> {
  const ids = await promptsOf(execution, scope, batchId, ['failed'])
  return actOnPrompts(execution, scope, { action: 'retry', prompt_ids: ids })
}

/** Cancels what waits or runs of a bulk request. @throws DomainError `not_found` for none, or another's. */
export async function cancelBatch(
  execution: Execution,
  scope: Scope,
  batchId: string,
): Promise<ActionOutcome[]> {
  const ids = await promptsOf(execution, scope, batchId, ['queued', 'running'])
  return actOnPrompts(execution, scope, { action: 'cancel', prompt_ids: ids })
}

async function promptsOf(
  execution: Execution,
  scope: Scope,
  batchId: string,
  states: Parameters<typeof readBatchPrompts>[2],
): Promise<string[]> {
  await readBatch(execution, scope, batchId)
  const { orgId, personId } = scope
  return readBatchPrompts(execution.database, { batchId, orgId, personId }, states)
}
