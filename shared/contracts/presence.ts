import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { instant, uuid } from '../ids.ts'
import { promptView } from '../prompt-view.ts'

/** A visible tab in use says so, with the browser's time zone; `away_since` is set when a digest is due. */
export const presenceRequest = z.strictObject({
  time_zone: z.optional(z.string().check(z.minLength(1), z.maxLength(100))),
})
export const presenceResponse = z.object({ now: instant, away_since: z.nullable(instant) })

/** *While you were away*: what settled or got stuck since, by kind; `first_unseen` is where to begin. */
export const awayResponse = z.object({
  since: z.nullable(instant),
  groups: z.array(
    z.object({
      kind: z.enum(['answered', 'failed', 'cancelled', 'held', 'review', 'scheduled']),
      count: z.number(),
      prompts: z.array(promptView),
    }),
  ),
  first_unseen: z.nullable(uuid),
})
export type AwayResponse = z.infer<typeof awayResponse>

export const presenceEndpoints = {
  bePresent: endpoint({
    method: 'POST',
    path: '/api/v1/presence',
    summary: 'A visible tab is in use',
    body: presenceRequest,
    responses: { 200: presenceResponse },
  }),
  readAway: endpoint({
    method: 'GET',
    path: '/api/v1/mission/away',
    summary: 'The digest of what happened since this person was last present',
    responses: { 200: awayResponse },
  }),
}
