import type { ContentfulStatusCode } from 'hono/utils/http-status'
import * as z from 'zod/mini'
import type { AnswerOf, BodyOf, Endpoint, ParamsOf, QueryOf } from '../../shared/endpoint.ts'
import { DomainError } from '../domain/errors.ts'
import type { HttpApp, HttpContext, Session } from './http-parts.ts'
import { parseWith } from './request/parse-with.ts'
import { readJsonBody } from './request/read-body.ts'
import { readLinesBody } from './request/read-lines-body.ts'
import { readQuery } from './request/read-query.ts'
import type { SubmitLimit } from './submit-limit.ts'

/** A request after the contract has been kept. */
export interface Call<E extends Endpoint> {
  params: ParamsOf<E>
  query: QueryOf<E>
  body: BodyOf<E>
  session: E extends { open: true } ? null : Session
  context: HttpContext
}

/** One served endpoint; `answer` parses, calls and answers. */
export interface Route {
  endpoint: Endpoint
  answer(context: HttpContext): Promise<Response>
}

/** What an endpoint with a body answers, or a `Response` where that is not JSON; what one without returns is not sent. */
export type Handler<E extends Endpoint> =
  AnswerOf<E> extends undefined
    ? (call: Call<E>) => unknown
    : (call: Call<E>) => Promise<AnswerOf<E> | Response> | AnswerOf<E> | Response

/** `handler` gets what the contract promises, and gives what it promises. */
export function route<E extends Endpoint>(endpoint: E, handler: Handler<E>): Route {
  const [[status, schema] = ['204', null]] = Object.entries(endpoint.responses)
  return {
    endpoint,
    async answer(context) {
      const answer: unknown = await handler(ofContract<E>(await readCall(endpoint, context)))
      if (answer instanceof Response) return answer
      if (schema === null) return context.body(null, 204)
      return context.newResponse(JSON.stringify(answer), contentful(Number(status)), {
        'Content-Type': 'application/json',
      })
    },
  }
}

/**
 * Registers the routes, then an answer for every other method of their paths. HEAD is answered by probes only: for
 * the rest it would do a GET's work for nothing, and open a stream that nobody reads.
 */
export function mount(app: HttpApp, routes: readonly Route[], submits: SubmitLimit): void {
  const allowed = new Map<string, string[]>()
  for (const { endpoint, answer } of routes) {
    const path = endpoint.path.replace(/\{(\w+)\}/g, ':$1')
    const headToo = endpoint.open === true && endpoint.params === undefined
    const methods = headToo ? [endpoint.method, 'HEAD'] : [endpoint.method]
    allowed.set(path, [...(allowed.get(path) ?? []), ...methods])
    app.on(endpoint.method, path, async (context, next) => {
      if (context.req.method === 'HEAD' && !headToo) return next()
      context.set('route', endpoint.path)
      if (endpoint.limited) submits.take(context.get('session').token)
      return answer(context)
    })
  }
  // A path in plain words first: one with a placeholder where it has a word would answer for it.
  for (const [path, methods] of [...allowed].sort(([a], [b]) => a.split(':').length - b.split(':').length)) {
    app.all(path, (context) => methodNotAllowed(context.req.method, methods))
  }
}

export function methodNotAllowed(method: string, allowed: readonly string[]): never {
  throw new MethodNotAllowed(method, allowed)
}

/** Carries what the `Allow` header has to say. */
export class MethodNotAllowed extends DomainError {
  readonly allow: string

  constructor(method: string, allowed: readonly string[]) {
    super('method_not_allowed', `${method.slice(0, 20)} is not possible here; ${allowed.join(', ')} is.`)
    this.allow = allowed.join(', ')
  }
}

const emptyBody = z.optional(z.strictObject({}))
const emptyQuery = z.strictObject({})
const withBody = ['POST', 'PUT', 'PATCH']

async function readCall(
  endpoint: Endpoint,
  context: HttpContext,
): Promise<Record<keyof Call<Endpoint>, unknown>> {
  const { params, query = emptyQuery, body = emptyBody, lines, open, method } = endpoint
  const request = context.req.raw
  return {
    params: params && parseWith(params, context.req.param(), 'The path'),
    query: parseWith(query, readQuery(context.req.url), 'The query'),
    body: withBody.includes(method)
      ? parseWith(
          body,
          await (lines === undefined ? readJsonBody(request) : readLinesBody(request, lines)),
          'The body',
        )
      : undefined,
    session: open ? null : context.get('session'),
    context,
  }
}

/** What `readCall` gives was parsed with the schemas of `E`, which the compiler cannot follow through a generic. */
function ofContract<E extends Endpoint>(call: Record<keyof Call<E>, unknown>): Call<E> {
  return call as Call<E>
}

/** Contracts name statuses with a body here; 204 is answered by its own branch. */
function contentful(status: number): ContentfulStatusCode {
  return status as ContentfulStatusCode
}
