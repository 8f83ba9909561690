import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { instant, uuid } from '../ids.ts'
import { pageQuery } from '../query-values.ts'

/** A template of the operator's for long compute. */
export const templateOffer = z.object({
  name: z.string(),
  description: z.string(),
  backend: z.string(),
  time: z.string(),
  expected_artifacts: z.array(z.string()),
})
/** A promoted answer that can ground a prompt. */
export const contextOffer = z.object({
  id: uuid,
  title: z.string(),
  text_excerpt: z.string(),
  response_id: uuid,
  thread_id: uuid,
  created_at: instant,
})

export const offersEndpoints = {
  listTemplates: endpoint({
    method: 'GET',
    path: '/api/v1/templates',
    summary: 'Templates for long compute',
    responses: { 200: z.object({ enabled: z.boolean(), templates: z.array(templateOffer) }) },
  }),
  listContexts: endpoint({
    method: 'GET',
    path: '/api/v1/contexts',
    summary: 'Promoted answers that can ground a prompt, the newest first',
    query: pageQuery,
    responses: { 200: z.object({ contexts: z.array(contextOffer), next: z.nullable(z.string()) }) },
  }),
}
