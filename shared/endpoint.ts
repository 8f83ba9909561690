import type * as z from 'zod/mini'
import type { ErrorCode } from './problem.ts'

export const apiMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type ApiMethod = (typeof apiMethods)[number]

/** Answers that are not JSON: their shape is in words, or in `sseEvents` of `change.ts`. */
export type MediaType = 'text/event-stream' | 'text/html' | 'text/markdown' | typeof prometheusText

/** What Prometheus calls its text format. */
export const prometheusText = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * One call of the HTTP interface, the single place that says what it takes and what it answers.
 * `path` names its parameters in braces. `responses` has a schema for each status of success: null is "no body".
 * `refusals` are the codes that this call has beside those that every call of its kind has. `open` calls need no
 * session. `limited` ones count against the submits a minute. `lines` names the list of the body that may be sent as
 * NDJSON too, an item a line.
 */
export interface Endpoint {
  method: ApiMethod
  path: `/${string}`
  summary: string
  params?: z.ZodMiniObject
  query?: z.ZodMiniObject
  body?: z.ZodMiniType
  lines?: string
  responses: Readonly<Record<number, z.ZodMiniType | MediaType | null>>
  refusals?: readonly ErrorCode[]
  open?: true
  limited?: true
}

/** Keeps the exact types of one endpoint, which a plain annotation would widen. */
export function endpoint<const E extends Endpoint>(definition: E): E {
  return definition
}

type OutputOf<E, Part extends string> =
  E extends Record<Part, infer S extends z.ZodMiniType> ? z.output<S> : undefined
type InputOf<E, Part extends string> =
  E extends Record<Part, infer S extends z.ZodMiniType> ? z.input<S> : undefined
type JsonOf<S> = S extends z.ZodMiniType ? z.output<S> : S extends null ? undefined : never

/** As the server sees a request: parsed. */
export type ParamsOf<E extends Endpoint> = OutputOf<E, 'params'>
export type QueryOf<E extends Endpoint> = OutputOf<E, 'query'>
export type BodyOf<E extends Endpoint> = OutputOf<E, 'body'>
/** As a client writes it. */
export type SentQueryOf<E extends Endpoint> = InputOf<E, 'query'>
export type SentBodyOf<E extends Endpoint> = InputOf<E, 'body'>
/** The JSON of a success; `undefined` where there is no body. */
export type AnswerOf<E extends Endpoint> = JsonOf<E['responses'][keyof E['responses']]>

/**
 * The address of a call, from the root of the server: `urlOf(endpoints.readPrompt, { prompt_id })`.
 * Parameters that are undefined are left out of the query.
 *
 * @throws Error when a parameter of the path is missing: a programming error.
 */
export function urlOf(
  call: Pick<Endpoint, 'path'>,
  params: Readonly<Record<string, string>> = {},
  query: Readonly<Record<string, string | number | undefined>> = {},
): string {
  const path = call.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined) throw new Error(`${call.path} needs ${name}`)
    return encodeURIComponent(value)
  })
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value))
  }
  return search.size === 0 ? path : `${path}?${search}`
}
