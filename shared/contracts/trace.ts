import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { edgeKind } from '../entity.ts'
import { instant, uuid } from '../ids.ts'
import { errorKind, jobOutcome, jobState } from '../job.ts'

/** One finished attempt, as the ledger has it. Times in ms; `partial_text` is what had arrived when it broke off. */
export const ledgerRow = z.object({
  job_id: uuid,
  run: z.number(),
  attempt: z.number(),
  counted: z.boolean(),
  provider: z.nullable(z.string()),
  model: z.nullable(z.string()),
  adapter_request_id: z.nullable(z.string()),
  input_tokens: z.nullable(z.number()),
  output_tokens: z.nullable(z.number()),
  finish_reason: z.nullable(z.string()),
  queued_ms: z.nullable(z.number()),
  first_token_ms: z.nullable(z.number()),
  run_ms: z.nullable(z.number()),
  error_kind: z.nullable(errorKind),
  error_message: z.nullable(z.string()),
  partial_text: z.nullable(z.string()),
  at: instant,
})
export type LedgerRow = z.infer<typeof ledgerRow>

export const tracedJob = z.object({
  job_id: uuid,
  state: jobState,
  outcome: z.nullable(jobOutcome),
  attempt: z.number(),
  max_attempts: z.number(),
  supersedes: z.nullable(uuid),
  error_kind: z.nullable(errorKind),
  error_message: z.nullable(z.string()),
  response_id: z.nullable(uuid),
  created_at: instant,
  started_at: z.nullable(instant),
  finished_at: z.nullable(instant),
  attempts: z.array(ledgerRow),
})

export const tracedEvent = z.object({
  seq: z.number(),
  kind: z.string(),
  from: z.optional(jobState),
  to: z.optional(jobState),
  at: instant,
  data: z.record(z.string(), z.unknown()),
})

/** Everything that happened to one prompt; `truncated` when there was more than an answer can hold. */
export const traceResponse = z.object({
  prompt_id: uuid,
  jobs: z.array(tracedJob),
  events: z.array(tracedEvent),
  edges: z.array(z.object({ kind: edgeKind, from_id: uuid, to_id: uuid })),
  ledger: z.array(ledgerRow),
  truncated: z.boolean(),
})
export type TraceResponse = z.infer<typeof traceResponse>

export const traceEndpoints = {
  readTrace: endpoint({
    method: 'GET',
    path: '/api/v1/prompts/{prompt_id}/trace',
    summary: 'Jobs, attempts, events, ledger and edges of one prompt',
    params: z.strictObject({ prompt_id: uuid }),
    responses: { 200: traceResponse },
  }),
}
