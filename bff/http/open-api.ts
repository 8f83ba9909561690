import * as z from 'zod/mini'
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi'
import { endpoints } from '../../shared/api.ts'
import { sseEvents } from '../../shared/change.ts'
import { bulkLine } from '../../shared/contracts/bulk.ts'
import type { Endpoint } from '../../shared/endpoint.ts'
import { promptDetail } from '../../shared/observe.ts'
import { type ErrorCode, problem } from '../../shared/problem.ts'
import { promptView } from '../../shared/prompt-view.ts'
import { pageLimit } from '../../shared/query-values.ts'
import { submitOptions, submitRequest } from '../../shared/submit.ts'
import { problemMediaType, statusOf, titleOf } from './problem-response.ts'

/** The OpenAPI 3.1 description of exactly these endpoints, made of the contracts they are parsed with. */
export function openApiDocument(served: readonly Endpoint[], version: string): Record<string, unknown> {
  const paths: ZodOpenApiPathsObject = {}
  for (const endpoint of served) {
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: operation(endpoint) }
  }
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Mission Field',
        version,
        description: `Runs prompts that outlive the browser tab. Events of the stream: ${Object.keys(sseEvents).join(', ')}.`,
      },
      paths,
      components: {
        schemas: {
          Problem: problem,
          PromptView: promptView,
          PromptDetail: promptDetail,
          SubmitOptions: submitOptions,
          SubmitRequest: submitRequest,
        },
        securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: 'mission_session' } },
      },
    },
    {
      override({ jsonSchema, zodSchema }) {
        if (zodSchema === bulkLine) Object.assign(jsonSchema, { $ref: '#/components/schemas/SubmitRequest' })
        if (zodSchema === pageLimit) Object.assign(jsonSchema, { type: 'integer', minimum: 1, maximum: 500 })
      },
    },
  )
  return { ...document }
}

function operation(endpoint: Endpoint): ZodOpenApiOperationObject {
  const { params, query, body, lines, open, summary } = endpoint
  return {
    operationId: nameOf(endpoint),
    summary,
    security: open ? [] : [{ session: [] }],
    requestParams: { ...(params && { path: params }), ...(query && { query }) },
    ...(body && {
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: body },
          ...(lines !== undefined && { 'application/x-ndjson': { schema: z.string() } }),
        },
      },
    }),
    responses: { ...successes(endpoint), ...failures(endpoint) },
  }
}

function nameOf(endpoint: Endpoint): string {
  const named = Object.entries(endpoints).find(([, { method, path }]) => {
    return method === endpoint.method && path === endpoint.path
  })
  if (named === undefined) throw new Error(`${endpoint.method} ${endpoint.path} is not among the endpoints`)
  return named[0]
}

type Responses = NonNullable<ZodOpenApiOperationObject['responses']>

function successes({ responses }: Endpoint): Responses {
  return Object.fromEntries(
    Object.entries(responses).map(([status, answer]) => {
      if (answer === null) return [status, { description: 'Done' }]
      if (typeof answer === 'string') {
        return [status, { description: 'Done', content: { [answer]: { schema: z.string() } } }]
      }
      return [status, { description: 'Done', content: { 'application/json': { schema: answer } } }]
    }),
  )
}

/** Codes of one status share its response; their titles tell them apart. */
function failures(endpoint: Endpoint): Responses {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of new Set(refusalsOf(endpoint))) {
    byStatus.set(statusOf(code), [...(byStatus.get(statusOf(code)) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `${code}: ${titleOf(code)}`).join('; '),
        content: { [problemMediaType]: { schema: problem } },
      },
    ]),
  )
}

/** What every call of a kind may be refused with, and what this one may beside that. */
function refusalsOf({ open, params, query, body, limited, refusals = [] }: Endpoint): ErrorCode[] {
  const whole: ErrorCode[] = ['forbidden_host', 'forbidden_origin', 'internal']
  const session: ErrorCode[] = open ? [] : ['unauthenticated', 'database_unavailable']
  const input: ErrorCode[] = params || query || body ? ['invalid_request'] : []
  const owned: ErrorCode[] = params && !open ? ['not_found'] : []
  const media: ErrorCode[] = body ? ['unsupported_media_type', 'body_too_large'] : []
  const rate: ErrorCode[] = limited ? ['too_many_requests'] : []
  return [...session, ...input, ...owned, ...media, ...rate, ...refusals, ...whole]
}
