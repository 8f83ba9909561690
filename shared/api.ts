import * as z from 'zod/mini'
import { actionsEndpoints } from './contracts/actions.ts'
import { bulkEndpoints } from './contracts/bulk.ts'
import { scheduleEndpoints } from './contracts/schedules.ts'
import { threadEndpoints } from './contracts/threads.ts'
import { waitingEndpoints } from './contracts/waiting.ts'
import { type Endpoint, endpoint, prometheusText } from './endpoint.ts'
import { cursor, uuid } from './ids.ts'
import {
  cancelResponse,
  fieldResponse,
  modelsResponse,
  promptDetail,
  recentResponse,
  retryResponse,
  sessionResponse,
  shownRequest,
  threadResponse,
  viewsResponse,
} from './observe.ts'
import { idList, pageLimit, pagePosition, pageQuery } from './query-values.ts'
import { submitRequest, submitResponse } from './submit.ts'

export const promptParams = z.strictObject({ prompt_id: uuid })

/** `since`: a cursor or an ISO 8601 time. `before`: where an older page ended. Not both. */
const recentQuery = z
  .strictObject({
    since: z.optional(cursor),
    before: z.optional(pagePosition),
    limit: z.optional(pageLimit),
  })
  .check(
    z.refine((query) => query.since === undefined || query.before === undefined, {
      path: ['before'],
      error: 'must not be given together with since',
    }),
  )

export const seenMax = 1_000
const seenRequest = z.strictObject({
  prompts: z
    .array(z.strictObject({ prompt_id: uuid, job_id: uuid }))
    .check(z.minLength(1), z.maxLength(seenMax)),
})

/**
 * Every call that the server answers. The page takes paths and types from here, the server parses with it, the
 * OpenAPI document is made of it, and tests walk it. Calls still to be served are in `planned-endpoints.ts`.
 */
export const endpoints = {
  submitPrompt: endpoint({
    method: 'POST',
    path: '/api/v1/prompt',
    summary:
      'Accept a prompt as a durable job; the same prompt_id and content again is the same answer again',
    body: submitRequest,
    responses: { 202: submitResponse },
    refusals: ['prompt_conflict', 'two_predecessors', 'unsupported_option', 'gone', 'not_found'],
    limited: true,
  }),
  readRecent: endpoint({
    method: 'GET',
    path: '/api/v1/mission/recent',
    summary: 'Prompts changed since a cursor, or the newest page, as summaries',
    query: recentQuery,
    responses: { 200: recentResponse },
    refusals: ['malformed_cursor'],
  }),
  readField: endpoint({
    method: 'GET',
    path: '/api/v1/mission/field',
    summary: 'The layout of all of one’s prompts, in columns, without texts',
    responses: { 200: fieldResponse },
  }),
  readViews: endpoint({
    method: 'GET',
    path: '/api/v1/mission/views',
    summary: 'Views of the named prompts; unknown ones are left out',
    query: z.strictObject({ ids: idList }),
    responses: { 200: viewsResponse },
  }),
  followEvents: endpoint({
    method: 'GET',
    path: '/api/v1/mission/events',
    summary: 'Server-sent events from Last-Event-ID, else from `since`, else from now; the first is `hello`',
    query: z.strictObject({ since: z.optional(cursor) }),
    responses: { 200: 'text/event-stream' },
    refusals: ['malformed_cursor'],
  }),
  setShown: endpoint({
    method: 'PUT',
    path: '/api/v1/mission/streams/{stream_id}/shown',
    summary: 'Whose text a stream wants as it is written; replaces what it wanted before',
    params: z.strictObject({ stream_id: uuid }),
    body: shownRequest,
    responses: { 204: null },
  }),
  readPrompt: endpoint({
    method: 'GET',
    path: '/api/v1/prompts/{prompt_id}',
    summary: 'One prompt whole: its text, the answer shown, the draft while it runs',
    params: promptParams,
    responses: { 200: promptDetail },
  }),
  readThread: endpoint({
    method: 'GET',
    path: '/api/v1/prompts/{prompt_id}/thread',
    summary: 'The thread of a prompt, oldest first, in pages',
    params: promptParams,
    query: pageQuery,
    responses: { 200: threadResponse },
  }),
  retryPrompt: endpoint({
    method: 'POST',
    path: '/api/v1/prompts/{prompt_id}/retry',
    summary: 'A new job for a settled prompt; who loses a race gets the winner’s job',
    params: promptParams,
    responses: { 202: retryResponse },
    refusals: ['state_conflict', 'external_exists', 'gone'],
  }),
  cancelPrompt: endpoint({
    method: 'POST',
    path: '/api/v1/prompts/{prompt_id}/cancel',
    summary: 'End the job of a waiting or running prompt',
    params: promptParams,
    responses: { 200: cancelResponse },
    refusals: ['state_conflict'],
  }),
  ...actionsEndpoints,
  readQueue: waitingEndpoints.readQueue,
  changePrompt: waitingEndpoints.changePrompt,
  releasePrompt: waitingEndpoints.releasePrompt,
  retractPrompt: threadEndpoints.retractPrompt,
  retractThread: threadEndpoints.retractThread,
  markSeen: endpoint({
    method: 'POST',
    path: '/api/v1/prompts/seen',
    summary: 'Remember which answers this person has seen',
    body: seenRequest,
    responses: { 204: null },
  }),
  ...scheduleEndpoints,
  readSession: endpoint({
    method: 'GET',
    path: '/api/v1/session',
    summary: 'Who is signed in, to what, and which version answers',
    responses: { 200: sessionResponse },
  }),
  endSession: endpoint({
    method: 'DELETE',
    path: '/api/v1/session',
    summary: 'Sign out: this session and its streams end',
    responses: { 204: null },
  }),
  readModels: endpoint({
    method: 'GET',
    path: '/api/v1/models',
    summary: 'What can be asked, and what is asked by default',
    responses: { 200: modelsResponse },
  }),
  useLoginLink: endpoint({
    method: 'GET',
    path: '/login/{token}',
    summary: 'Sign this browser in with a one-time link, and go on to the page',
    params: z.strictObject({ token: z.string().check(z.minLength(1), z.maxLength(200)) }),
    responses: { 303: null },
    refusals: ['link_expired', 'not_ready'],
    open: true,
  }),
  health: endpoint({
    method: 'GET',
    path: '/healthz',
    summary: 'The process answers',
    responses: { 200: z.object({ ok: z.boolean() }) },
    open: true,
  }),
  readiness: endpoint({
    method: 'GET',
    path: '/readyz',
    summary: 'Migrations have run and the worker claims',
    responses: { 200: z.object({ ready: z.boolean() }) },
    refusals: ['not_ready'],
    open: true,
  }),
  metrics: endpoint({
    method: 'GET',
    path: '/metrics',
    summary: 'Counts and times of this process, and what waits and runs, for Prometheus',
    responses: { 200: prometheusText },
    open: true,
  }),
  openApi: endpoint({
    method: 'GET',
    path: '/openapi.json',
    summary: 'This document',
    responses: { 200: z.record(z.string(), z.unknown()) },
    open: true,
  }),
  ...bulkEndpoints,
} as const satisfies Readonly<Record<string, Endpoint>>

export type EndpointName = keyof typeof endpoints
