import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { instant, uuid } from '../ids.ts'
import { pageLimit, pagePosition, pageQuery } from '../query-values.ts'
import { storableText } from '../text.ts'

/** What a webhook can be told of. */
export const webhookEvents = ['job-succeeded', 'job-failed', 'job-cancelled'] as const

/** The secret that signs deliveries is shown once, when the webhook is made. */
export const webhook = z.object({
  id: uuid,
  url: z.string(),
  events: z.array(z.enum(webhookEvents)),
  paused: z.boolean(),
  created_at: instant,
})
export type Webhook = z.infer<typeof webhook>

/** One message to the outside, kept until it was acknowledged or given up. */
export const delivery = z.object({
  id: uuid,
  webhook_id: uuid,
  prompt_id: z.nullable(uuid),
  job_id: z.nullable(uuid),
  kind: z.string(),
  state: z.enum(['pending', 'delivered', 'failed']),
  tries: z.number(),
  next_at: z.nullable(instant),
  last_status: z.nullable(z.number()),
  last_error: z.nullable(z.string()),
  created_at: instant,
  delivered_at: z.nullable(instant),
})
export type Delivery = z.infer<typeof delivery>

const url = storableText(2_000).check(z.regex(/^https?:\/\/[^\s]+$/, 'must be an http or https address'))
const events = z.array(z.enum(webhookEvents)).check(z.minLength(1))

export const webhookRequest = z.strictObject({ url, events })
export const webhookPatch = z.strictObject({
  url: z.optional(url),
  events: z.optional(events),
  paused: z.optional(z.boolean()),
})

const webhookParams = z.strictObject({ webhook_id: uuid })

export const webhookEndpoints = {
  listWebhooks: endpoint({
    method: 'GET',
    path: '/api/v1/webhooks',
    summary: 'Who is told of what',
    query: pageQuery,
    responses: { 200: z.object({ webhooks: z.array(webhook), next: z.nullable(z.string()) }) },
  }),
  makeWebhook: endpoint({
    method: 'POST',
    path: '/api/v1/webhooks',
    summary: 'Make a webhook; its secret is in this answer only',
    body: webhookRequest,
    responses: { 201: z.object({ webhook, secret: z.string() }) },
  }),
  changeWebhook: endpoint({
    method: 'PATCH',
    path: '/api/v1/webhooks/{webhook_id}',
    summary: 'Change, pause or resume a webhook',
    params: webhookParams,
    body: webhookPatch,
    responses: { 200: webhook },
  }),
  removeWebhook: endpoint({
    method: 'DELETE',
    path: '/api/v1/webhooks/{webhook_id}',
    summary: 'Remove a webhook and what it still had to deliver',
    params: webhookParams,
    responses: { 204: null },
  }),
  listDeliveries: endpoint({
    method: 'GET',
    path: '/api/v1/deliveries',
    summary: 'Messages to the outside, the newest first',
    query: z.strictObject({
      webhook_id: z.optional(uuid),
      state: z.optional(delivery.shape.state),
      limit: z.optional(pageLimit),
      after: z.optional(pagePosition),
    }),
    responses: { 200: z.object({ deliveries: z.array(delivery), next: z.nullable(z.string()) }) },
  }),
  replayDelivery: endpoint({
    method: 'POST',
    path: '/api/v1/deliveries/{delivery_id}/replay',
    summary: 'Send one message once more',
    params: z.strictObject({ delivery_id: uuid }),
    responses: { 202: delivery },
  }),
}
