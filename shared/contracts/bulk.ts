import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { instant, uuid } from '../ids.ts'
import { problem } from '../problem.ts'
import { flag } from '../query-values.ts'
import type { SubmitRequest } from '../submit.ts'
import { actionsResponse } from './actions.ts'

export const bulkMax = 1_000
/** Below that of a single prompt, so that a thousand do not stand in the way of the one that somebody waits for. */
export const bulkPriorityDefault = 60

/** A `SubmitRequest`, which each line is held to by itself: a bad one is that line's refusal, not the request's. */
export const bulkLine = z.unknown()

/** `atomic`: all lines or none. Lines may name each other's ids in any order; the same request again adds nothing. */
export const bulkRequest = z.strictObject({
  prompts: z.array(bulkLine).check(z.minLength(1), z.maxLength(bulkMax)),
  atomic: z.optional(z.boolean()),
})
/** As a client writes it. */
export interface BulkRequest {
  prompts: SubmitRequest[]
  atomic?: boolean
}

/**
 * `index` is the line in the request; `problem` says why a line was refused, its fields named from the whole request:
 * `prompts.3.options.priority`. `batch_id` is null when nothing was kept.
 */
export const bulkResponse = z.object({
  batch_id: z.nullable(uuid),
  outcomes: z.array(
    z.object({
      index: z.number(),
      status: z.enum(['accepted', 'already_accepted', 'refused']),
      prompt_id: z.nullable(z.string()),
      job_id: z.optional(uuid),
      problem: z.optional(problem),
    }),
  ),
})
export type BulkResponse = z.infer<typeof bulkResponse>

/** A bulk request as a whole, by the current job of each of its prompts; `done` of `total` have settled. */
export const batchProgress = z.object({
  batch_id: uuid,
  total: z.number(),
  counts: z.object({
    queued: z.number(),
    running: z.number(),
    succeeded: z.number(),
    failed: z.number(),
    cancelled: z.number(),
  }),
  done: z.number(),
  created_at: instant,
})
export type BatchProgress = z.infer<typeof batchProgress>

const batchParams = z.strictObject({ batch_id: uuid })

export const bulkEndpoints = {
  submitBulk: endpoint({
    method: 'POST',
    path: '/api/v1/prompts/bulk',
    summary: 'Accept up to 1,000 prompts, with an outcome for each; as JSON, or as NDJSON, a prompt a line',
    query: z.strictObject({ atomic: z.optional(flag) }),
    body: bulkRequest,
    lines: 'prompts',
    responses: { 202: bulkResponse },
    limited: true,
  }),
  readBatch: endpoint({
    method: 'GET',
    path: '/api/v1/batches/{batch_id}',
    summary: 'How the prompts of a bulk request stand',
    params: batchParams,
    responses: { 200: batchProgress },
  }),
  retryBatch: endpoint({
    method: 'POST',
    path: '/api/v1/batches/{batch_id}/retry',
    summary: 'Retry the failed prompts of a bulk request, with an outcome for each',
    params: batchParams,
    responses: { 200: actionsResponse },
  }),
  cancelBatch: endpoint({
    method: 'POST',
    path: '/api/v1/batches/{batch_id}/cancel',
    summary: 'Cancel the waiting and running prompts of a bulk request, with an outcome for each',
    params: batchParams,
    responses: { 200: actionsResponse },
  }),
}
