import * as z from 'zod/mini'
import { cursor, instant, uuid } from './ids.ts'
import { promptView } from './prompt-view.ts'

/** What SSE and polling deliver (DESIGN §8). `job.state_changed` carries the whole view. */
export const jobStateChanged = promptView
/**
 * Text of a running attempt. `seq` counts the deltas of this run from 0. A client that joins late first gets
 * `{ seq, text, whole: true }`, the draft so far, which replaces what it has; afterwards contiguous ones.
 * `tokens` is an estimate of output so far; `text` is empty for prompts whose text this stream did not ask for.
 */
export const responseDelta = z.object({
  prompt_id: uuid,
  job_id: uuid,
  attempt: z.number(),
  run: z.number(),
  seq: z.number(),
  text: z.string(),
  whole: z.boolean(),
  tokens: z.number(),
})
export const hello = z.object({ version: z.string(), stream_id: uuid, cursor })
export const beat = z.object({ cursor })
export const resync = z.object({ cursor })
export const providerGate = z.object({ provider: z.string(), closed_until: z.nullable(instant) })
export const promptSeen = z.object({ prompt_id: uuid, job_id: uuid })
export const threadChanged = z.object({ id: uuid, title: z.string() })
export const entityChanged = promptView
export const queueChanged = z.object({ running: z.number(), waiting: z.number(), org_limit: z.boolean() })

/** SSE event name → the shape of its data. */
export const sseEvents = {
  hello,
  beat,
  resync,
  'job.state_changed': jobStateChanged,
  'entity.changed': entityChanged,
  'response.delta': responseDelta,
  'provider.gate': providerGate,
  'prompt.seen': promptSeen,
  'thread.changed': threadChanged,
  'queue.changed': queueChanged,
} as const
export type SseEventName = keyof typeof sseEvents
export type SseData<Name extends SseEventName> = z.infer<(typeof sseEvents)[Name]>
export type ResponseDelta = z.infer<typeof responseDelta>

export const beatMs = 15_000
export const helloTimeoutMs = 3_000
export const pollMs = 2_000
