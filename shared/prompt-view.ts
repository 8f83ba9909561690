import * as z from 'zod/mini'
import { verdict } from './entity.ts'
import { instant, uuid } from './ids.ts'
import { budget, errorKind, jobOutcome, jobState } from './job.ts'
import { waitReason } from './wait-reason.ts'

export const externalView = z.object({
  backend: z.string(),
  id: z.nullable(z.string()),
  status: z.string(),
  reason: z.nullable(z.string()),
  since: instant,
})

export const earlierJob = z.object({ job_id: uuid, outcome: jobOutcome, at: instant })

/**
 * A prompt as the field shows it: the prompt, its newest job, and excerpts, never whole texts.
 * `revision` rises by one in every transaction that changes the prompt's or its job's own fields;
 * `seen` and `thread_title` belong to others and are as of the reading.
 * `provider` is the one that is to serve it, or did. `deleted`: it is hidden; such a view has no texts, and comes only
 * as a change (by `since`, or on a stream), never in a list.
 * `time_zone`: the IANA zone in which its time was given. `time_in_gap`: the local time that was asked for, where clocks
 * leave it out on that day, so that `scheduled_for` is the first instant after the gap. `late_ms`: how long after its time
 * it began, where that is more than a minute. `schedule_id`: the recurring prompt that made it.
 */
export const promptView = z.object({
  prompt_id: uuid,
  job_id: uuid,
  state: jobState,
  revision: z.number(),
  attempt: z.number(),
  max_attempts: z.number(),
  priority: z.number(),
  error_kind: z.nullable(errorKind),
  error_message: z.nullable(z.string()),
  retry_at: z.nullable(instant),
  wait_reason: z.nullable(waitReason),
  response_id: z.nullable(uuid),
  parent_id: z.nullable(uuid),
  correlation_id: uuid,
  thread_title: z.string(),
  context_ids: z.array(uuid),
  verdict: z.nullable(verdict),
  truncated: z.boolean(),
  promoted: z.boolean(),
  practice: z.boolean(),
  provider: z.nullable(z.string()),
  model: z.nullable(z.string()),
  tokens: z.nullable(z.number()),
  soft_review_at: z.nullable(instant),
  started_at: z.nullable(instant),
  finished_at: z.nullable(instant),
  budget,
  expected_ms: z.nullable(z.number()),
  scheduled_for: z.nullable(instant),
  time_zone: z.nullable(z.string()),
  time_in_gap: z.nullable(z.string()),
  late_ms: z.nullable(z.number()),
  schedule_id: z.nullable(uuid),
  batch_id: z.nullable(uuid),
  external: z.nullable(externalView),
  seen: z.boolean(),
  deleted: z.boolean(),
  created_at: instant,
  updated_at: instant,
  earlier_jobs: z.array(earlierJob),
  text_excerpt: z.string(),
  answer_excerpt: z.nullable(z.string()),
})
export type PromptView = z.infer<typeof promptView>
export type EarlierJob = z.infer<typeof earlierJob>
