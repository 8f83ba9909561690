import * as z from 'zod/mini'
import { cursor, instant, uuid } from './ids.ts'
import { budget, jobState, maxAttemptsLimit, priorityMax } from './job.ts'
import { promptView } from './prompt-view.ts'
import { promptText, storableText } from './text.ts'

/** A model's or provider's name as people write it: one line, 200 characters at most. */
const name = storableText(200).check(z.minLength(1), z.regex(/^[^\r\n]*$/, 'must be one line'))

/**
 * When to run: a time with an offset (ISO 8601), with an IANA zone (RFC 9557: `2026-12-01T09:00[Asia/Tokyo]`), or with
 * both. The server reads it, since only it knows what its zones and its clock say.
 */
export const scheduledFor = storableText(160).check(z.minLength(1))

/** What a submit may ask for beside its text. Unknown options are refused, so that a typo is not silence. */
export const submitOptions = z.strictObject({
  model: z.optional(name),
  prefer_provider: z.optional(name),
  router_model: z.optional(name),
  depth: z.optional(z.int().check(z.minimum(0), z.maximum(1_000))),
  priority: z.optional(z.int().check(z.minimum(0), z.maximum(priorityMax))),
  max_attempts: z.optional(z.int().check(z.minimum(1), z.maximum(maxAttemptsLimit))),
  budget: z.optional(budget),
  expected: z.optional(storableText(2_000)),
  scheduled_for: z.optional(scheduledFor),
  after: z.optional(uuid),
  context_ids: z.optional(z.array(uuid).check(z.maxLength(50))),
  template: z.optional(name),
})
export type SubmitOptions = z.infer<typeof submitOptions>

/** `parent_id` continues exactly that prompt, `root_entity_id` that thread from its newest leaf; not both. */
export const submitRequest = z
  .strictObject({
    prompt_id: z.optional(uuid),
    text: promptText,
    root_entity_id: z.optional(uuid),
    parent_id: z.optional(uuid),
    options: z.optional(submitOptions),
  })
  .check(
    z.refine((request) => request.root_entity_id === undefined || request.parent_id === undefined, {
      path: ['parent_id'],
      error: 'must not be given together with root_entity_id',
    }),
  )
export type SubmitRequest = z.infer<typeof submitRequest>

export const submitResponse = z.object({
  prompt_id: uuid,
  job_id: uuid,
  state: jobState,
  as_of: instant,
  cursor,
  view: promptView,
})
export type SubmitResponse = z.infer<typeof submitResponse>
