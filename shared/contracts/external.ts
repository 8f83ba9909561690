import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { uuid } from '../ids.ts'
import { promptView } from '../prompt-view.ts'
import { storableText } from '../text.ts'

/** `confirm` is exactly the command that would run, as it was shown; nothing runs without it. */
export const verifyRequest = z.strictObject({ confirm: storableText(10_000).check(z.minLength(1)) })

/** What the verification did; `missing` are expected artifacts that are not there. */
export const verifyResponse = z.object({
  verified: z.boolean(),
  command: z.string(),
  manifest: z.string(),
  exit_code: z.nullable(z.number()),
  output: z.string(),
  missing: z.array(z.string()),
  view: promptView,
})

/** `confirm` is the scheduler's id of the job that is given up, or the prompt's where there is none. */
export const resubmitRequest = z.strictObject({ confirm: storableText(200).check(z.minLength(1)) })
export const resubmitResponse = z.object({ prompt_id: uuid, job_id: uuid, view: promptView })

const params = z.strictObject({ prompt_id: uuid })

export const externalEndpoints = {
  verifyExternal: endpoint({
    method: 'POST',
    path: '/api/v1/prompts/{prompt_id}/external/verify',
    summary: 'Run a cluster job’s verification after confirming exactly its text; operators only',
    params,
    body: verifyRequest,
    responses: { 200: verifyResponse },
    refusals: ['state_conflict'],
  }),
  resubmitExternal: endpoint({
    method: 'POST',
    path: '/api/v1/prompts/{prompt_id}/external/resubmit',
    summary: 'Archive the manifest of an ended cluster job and make a new job; operators only',
    params,
    body: resubmitRequest,
    responses: { 202: resubmitResponse },
    refusals: ['state_conflict', 'external_exists'],
  }),
}
