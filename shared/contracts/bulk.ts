import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { uuid } from '../ids.ts'
import { problem } from '../problem.ts'
import { submitRequest } from '../submit.ts'

export const bulkMax = 1_000

/** `atomic`: all lines or none. Lines may name each other's ids in any order; the same request again adds nothing. */
export const bulkRequest = z.strictObject({
  prompts: z.array(submitRequest).check(z.minLength(1), z.maxLength(bulkMax)),
  atomic: z.optional(z.boolean()),
})
export type BulkRequest = z.infer<typeof bulkRequest>

/** `index` is the line in the request; `problem` says why a line was refused. */
export const bulkResponse = z.object({
  batch_id: z.nullable(uuid),
  outcomes: z.array(
    z.object({
      index: z.number(),
      status: z.enum(['accepted', 'already_accepted', 'refused']),
      prompt_id: z.nullable(uuid),
      job_id: z.optional(uuid),
      problem: z.optional(problem),
    }),
  ),
})
export type BulkResponse = z.infer<typeof bulkResponse>

export const bulkEndpoints = {
  submitBulk: endpoint({
    method: 'POST',
    path: '/api/v1/prompts/bulk',
    summary: 'Accept up to 1,000 prompts, with an outcome for each',
    body: bulkRequest,
    responses: { 202: bulkResponse },
    limited: true,
  }),
}
