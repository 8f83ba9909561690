import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { entityKind, stateClass, truthClass, verdict } from '../entity.ts'
import { instant, uuid } from '../ids.ts'
import { storableText } from '../text.ts'

export const verdictNoteCharsMax = 2_000

/** A piece of authored knowledge whole: also an earlier answer of a prompt. */
export const entityDetail = z.object({
  id: uuid,
  kind: entityKind,
  parent_id: z.nullable(uuid),
  correlation_id: uuid,
  causation_id: z.nullable(uuid),
  truth_class: truthClass,
  state_class: stateClass,
  verdict: z.nullable(verdict),
  verdict_note: z.nullable(z.string()),
  verdict_at: z.nullable(instant),
  text: z.string(),
  model: z.nullable(z.string()),
  practice: z.boolean(),
  promoted: z.boolean(),
  revision: z.number(),
  created_at: instant,
  updated_at: instant,
})
export type EntityDetail = z.infer<typeof entityDetail>

/** `null` takes the verdict back. */
export const verdictRequest = z.strictObject({
  verdict: z.nullable(verdict),
  note: z.optional(storableText(verdictNoteCharsMax)),
})
export type VerdictRequest = z.infer<typeof verdictRequest>

const params = z.strictObject({ entity_id: uuid })

export const entityEndpoints = {
  readEntity: endpoint({
    method: 'GET',
    path: '/api/v1/entities/{entity_id}',
    summary: 'One entity whole, an earlier answer for example',
    params,
    responses: { 200: entityDetail },
  }),
  promoteEntity: endpoint({
    method: 'POST',
    path: '/api/v1/entities/{entity_id}/promote',
    summary: 'Make a response a context that can ground later prompts',
    params,
    responses: { 200: entityDetail },
    refusals: ['state_conflict'],
  }),
  unpromoteEntity: endpoint({
    method: 'DELETE',
    path: '/api/v1/entities/{entity_id}/promote',
    summary: 'Take a promotion back; prompts that it grounded keep what they were given',
    params,
    responses: { 200: entityDetail },
  }),
  giveVerdict: endpoint({
    method: 'POST',
    path: '/api/v1/entities/{entity_id}/verdict',
    summary: 'Confirm, refute, ask for more work, or take that back',
    params,
    body: verdictRequest,
    responses: { 200: entityDetail },
    refusals: ['state_conflict'],
  }),
}
