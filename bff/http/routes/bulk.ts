import { endpoints } from '../../../shared/api.ts'

import type { BulkResponse } from '../../../shared/contracts/bulk.ts'
import { submitRequest } from '../../../shared/submit.ts'
import { DomainError, invalidField } from '../../domain/errors.ts'
import { cancelBatch, readBatch, retryBatch } from '../../execution/bulk/batches.ts'
import type { BulkLine } from '../../execution/bulk/bulk-line.ts'
import { type BulkResult, submitBulk } from '../../execution/bulk/submit-bulk.ts'
import type { Execution } from '../../execution/context.ts'
import { actionsResponse } from '../actions-response.ts'
import { problemOf } from '../problem-response.ts'
import { parseWith } from '../request/parse-with.ts'
import { UnreadableLine } from '../request/read-lines-body.ts'
import { type Route, route } from '../route.ts'

export function bulkRoutes(execution: Execution): Route[] {
  return [
    route(endpoints.submitBulk, async ({ session, query, body }) => {
      if (query.atomic !== undefined && body.atomic !== undefined) {
        throw invalidField('atomic', 'must not be given both in the address and in the body')
      }
      const atomic = body.atomic ?? query.atomic ?? false
      const lines = body.prompts.map(readLine)
      return bulkResponse(await submitBulk(execution, session, { lines, atomic }))
    }),
    route(endpoints.readBatch, ({ session, params }) => readBatch(execution, session, params.batch_id)),
    route(endpoints.retryBatch, async ({ session, params }) =>
      actionsResponse(await retryBatch(execution, session, params.batch_id)),
    ),
    route(endpoints.cancelBatch, async ({ session, params }) =>
      actionsResponse(await cancelBatch(execution, session, params.batch_id)),
    ),
  ]
}

/** Each line is held to the contract by itself, so that a bad one is its own refusal only. */
function readLine(sent: unknown): BulkLine {
  if (sent instanceof UnreadableLine) {
    const { text, fault } = sent
    const errors = [{ field: '', message: fault }]
    return { raw: text, request: new DomainError('invalid_request', `The line ${fault}.`, { errors }) }
  }
  try {
    return { raw: sent, request: parseWith(submitRequest, sent, 'The line') }
  } catch (error) {
    if (error instanceof DomainError) return { raw: sent, request: error }
    throw error
  }
}

function bulkResponse({ batchId, outcomes }: BulkResult): BulkResponse {
  return {
    batch_id: batchId,
    outcomes: outcomes.map((outcome) => {
      const { index, status, promptId } = outcome
      return status === 'refused'
        ? { index, status, prompt_id: promptId, problem: problemOf(outcome.error) }
        : { index, status, prompt_id: promptId, job_id: outcome.jobId }
    }),
  }
}
