import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { instant, uuid } from '../ids.ts'
import { priorityMax } from '../job.ts'
import { promptView } from '../prompt-view.ts'
import { scheduledFor } from '../submit.ts'
import { waitReason } from '../wait-reason.ts'

/** While it is queued. `scheduled_for: null` means as soon as it can. */
export const promptPatch = z
  .strictObject({
    priority: z.optional(z.int().check(z.minimum(0), z.maximum(priorityMax))),
    scheduled_for: z.optional(z.nullable(scheduledFor)),
  })
  .check(
    z.refine((patch) => patch.priority !== undefined || patch.scheduled_for !== undefined, {
      error: 'must change priority or scheduled_for',
    }),
  )
export type PromptPatch = z.infer<typeof promptPatch>

/** Places of one's own waiting prompts, counted from 1 among all that compete with them. */
export const queueResponse = z.object({
  running: z.number(),
  places: z.number(),
  waiting: z.array(
    z.object({
      prompt_id: uuid,
      position: z.number(),
      reason: z.nullable(waitReason),
      eta: z.optional(instant),
    }),
  ),
})
export type QueueResponse = z.infer<typeof queueResponse>

const params = z.strictObject({ prompt_id: uuid })
const changedPrompt = z.object({ view: promptView })

export const waitingEndpoints = {
  readQueue: endpoint({
    method: 'GET',
    path: '/api/v1/queue',
    summary: 'Position and reason of one’s own waiting jobs',
    responses: { 200: queueResponse },
  }),
  changePrompt: endpoint({
    method: 'PATCH',
    path: '/api/v1/prompts/{prompt_id}',
    summary: 'Change priority or time of a queued prompt',
    params,
    body: promptPatch,
    responses: { 200: changedPrompt },
    refusals: ['state_conflict'],
  }),
  releasePrompt: endpoint({
    method: 'POST',
    path: '/api/v1/prompts/{prompt_id}/release',
    summary: 'Let a held follower run without its predecessor',
    params,
    responses: { 200: changedPrompt },
    refusals: ['state_conflict'],
  }),
  keepWaiting: endpoint({
    method: 'POST',
    path: '/api/v1/prompts/{prompt_id}/keep-waiting',
    summary: 'Answer a soft review: go on, and ask again later',
    params,
    responses: { 200: changedPrompt },
    refusals: ['state_conflict'],
  }),
}
