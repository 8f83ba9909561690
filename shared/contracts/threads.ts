import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { uuid } from '../ids.ts'
import { storableText } from '../text.ts'

export const titleCharsMax = 200

/** One line; blank restores the opening words of the first prompt. */
export const threadTitleRequest = z.strictObject({
  title: storableText(titleCharsMax).check(z.regex(/^[^\r\n]*$/, 'must be one line')),
})
export const threadTitle = z.object({ id: uuid, title: z.string() })

const threadParams = z.strictObject({ thread_id: uuid })

export const threadEndpoints = {
  nameThread: endpoint({
    method: 'PATCH',
    path: '/api/v1/threads/{thread_id}',
    summary: 'Give a thread its title',
    params: threadParams,
    body: threadTitleRequest,
    responses: { 200: threadTitle },
  }),
  retractThread: endpoint({
    method: 'DELETE',
    path: '/api/v1/threads/{thread_id}',
    summary: 'Hide a thread and all of its prompts everywhere; refused while one of them runs',
    params: threadParams,
    responses: { 204: null },
    refusals: ['state_conflict'],
  }),
  retractPrompt: endpoint({
    method: 'DELETE',
    path: '/api/v1/prompts/{prompt_id}',
    summary: 'Hide a prompt everywhere; refused while it runs',
    params: z.strictObject({ prompt_id: uuid }),
    responses: { 204: null },
    refusals: ['state_conflict'],
  }),
}
