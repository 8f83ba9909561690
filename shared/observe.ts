import * as z from 'zod/mini'
import { cursor, instant, uuid } from './ids.ts'
import { jobState } from './job.ts'
import { promptView } from './prompt-view.ts'

export const pageLimitDefault = 100
export const pageLimitMax = 500
export const viewsMax = 200
export const shownMax = 50

/** `since` is a cursor or an ISO 8601 time, `before` the position of an older page; not both. */
export const recentResponse = z.object({
  entities: z.array(promptView),
  as_of: instant,
  cursor,
  has_more: z.boolean(),
  before: z.nullable(z.string()),
  resync: z.optional(z.boolean()),
})
export type RecentResponse = z.infer<typeof recentResponse>

/** Bits of `flags[]` in the field's columns. */
export const fieldFlags = {
  unseen: 1,
  truncated: 2,
  promoted: 4,
  practice: 8,
  external: 16,
  held: 32,
} as const

/** The layout of all of a person's prompts in columns of equal length; `thread[i]` indexes `threads`, `parent[i]` the columns (−1: none). */
export const fieldResponse = z.object({
  threads: z.array(z.object({ id: uuid, title: z.string(), order: z.number() })),
  ids: z.array(uuid),
  thread: z.array(z.number()),
  parent: z.array(z.number()),
  created_at: z.array(z.number()),
  state: z.array(jobState),
  flags: z.array(z.number()),
  revision: z.array(z.number()),
  batch: z.array(z.nullable(uuid)),
  totals: z.record(z.string(), z.number()),
  cursor,
})
export type FieldResponse = z.infer<typeof fieldResponse>

export const viewsResponse = z.object({ views: z.array(promptView), cursor })
export type ViewsResponse = z.infer<typeof viewsResponse>

/** What the newest draft of a running attempt holds so far. */
export const draftSoFar = z.object({ job_id: uuid, run: z.number(), seq: z.number(), text: z.string() })

/** One prompt whole: its text, the answer shown, the draft while it runs, the partial text of a failure. */
export const promptDetail = z.object({
  view: promptView,
  text: z.string(),
  answer: z.nullable(
    z.object({
      response_id: uuid,
      job_id: uuid,
      text: z.string(),
      model: z.nullable(z.string()),
      practice: z.boolean(),
      created_at: instant,
    }),
  ),
  draft: z.nullable(draftSoFar),
  partial: z.nullable(z.object({ job_id: uuid, run: z.number(), text: z.string() })),
})
export type PromptDetail = z.infer<typeof promptDetail>

/** The thread of a prompt, oldest first; the tree is in each prompt's `view.parent_id`. Pages of 500 turns by `after`. */
export const threadResponse = z.object({
  id: uuid,
  title: z.string(),
  prompts: z.array(promptDetail),
  next: z.nullable(z.string()),
  cursor,
})
export type ThreadResponse = z.infer<typeof threadResponse>

export const retryResponse = z.object({
  prompt_id: uuid,
  job_id: uuid,
  state: jobState,
  view: promptView,
  cursor,
})
export type RetryResponse = z.infer<typeof retryResponse>
export const cancelResponse = z.object({
  prompt_id: uuid,
  job_id: uuid,
  state: jobState,
  view: promptView,
  cursor,
})
export type CancelResponse = z.infer<typeof cancelResponse>

export const modelOffer = z.object({
  provider: z.string(),
  model: z.string(),
  practice: z.boolean(),
  label: z.string(),
})
export const sessionResponse = z.object({
  person: z.object({ id: uuid, name: z.string() }),
  org: z.object({ id: uuid, name: z.string() }),
  role: z.enum(['owner', 'operator', 'member']),
  version: z.string(),
  epoch: z.string(),
  time_zone: z.nullable(z.string()),
  now: instant,
  provider: z.object({
    id: z.string(),
    model: z.nullable(z.string()),
    practice: z.boolean(),
    found: z.nullable(z.string()),
  }),
  settings: z.object({ debug: z.boolean(), single_keys: z.boolean() }),
})
export type SessionResponse = z.infer<typeof sessionResponse>

export const modelsResponse = z.object({ default: modelOffer, models: z.array(modelOffer) })
export type ModelsResponse = z.infer<typeof modelsResponse>
export const shownRequest = z.strictObject({ prompt_ids: z.array(uuid).check(z.maxLength(shownMax)) })
