import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { verdict } from '../entity.ts'
import { uuid } from '../ids.ts'
import { jobState } from '../job.ts'
import { problem } from '../problem.ts'

export const actionsMax = 1_000
const promptIds = z.array(uuid).check(z.minLength(1), z.maxLength(actionsMax))

/** The same thing to many prompts. `verdict: null` takes a verdict back. */
export const actionsRequest = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('cancel'), prompt_ids: promptIds }),
  z.strictObject({ action: z.literal('retry'), prompt_ids: promptIds }),
  z.strictObject({ action: z.literal('seen'), prompt_ids: promptIds }),
  z.strictObject({ action: z.literal('verdict'), prompt_ids: promptIds, verdict: z.nullable(verdict) }),
])
export type ActionsRequest = z.infer<typeof actionsRequest>

export const actionsResponse = z.object({
  outcomes: z.array(
    z.object({
      prompt_id: uuid,
      status: z.enum(['done', 'refused']),
      job_id: z.optional(uuid),
      state: z.optional(jobState),
      problem: z.optional(problem),
    }),
  ),
})
export type ActionsResponse = z.infer<typeof actionsResponse>

export const actionsEndpoints = {
  actOnPrompts: endpoint({
    method: 'POST',
    path: '/api/v1/prompts/actions',
    summary: 'Cancel, retry, mark or judge up to 1,000 prompts, with an outcome for each',
    body: actionsRequest,
    responses: { 200: actionsResponse },
  }),
}
