import { expect } from 'vitest'
import { endpoints } from '../../../shared/api.ts'
import type { Endpoint } from '../../../shared/endpoint.ts'
import { problem } from '../../../shared/problem.ts'
import type { Scope } from '../../execution/context.ts'
import { makeLoginLink } from '../../execution/sessions.ts'
import { type TestExecution, testExecution } from '../../execution/testing/test-execution.ts'
import type { Database } from '../../store/database/database.ts'
import { createApp } from '../app.ts'
import type { HttpApp, HttpParts, HttpSettings } from '../http-parts.ts'
import { statusOf } from '../problem-response.ts'

export const testHost = '127.0.0.1:7410'
export const testOrigin = `http://${testHost}`

export interface TestRequest {
  method?: string
  cookie?: string
  /** Sent as JSON; a string or bytes are sent as they are. */
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
}

export interface TestHttp extends TestExecution {
  app: HttpApp
  /** Calls the app as a server would, and holds every answer to its contract. */
  call(path: string, request?: TestRequest): Promise<Response>
  /** The JSON of a call that must succeed. */
  json(path: string, request?: TestRequest): Promise<Record<string, unknown>>
  /** Signs in over HTTP; the cookie to send. */
  signIn(who: Scope): Promise<string>
  /** Somebody new, signed in. */
  visitor(): Promise<{ who: Scope; cookie: string }>
}

/** The app on real execution over a real database, with a clock and a provider in the test's hands. */
export function testHttp(
  database: Database,
  { settings, ...parts }: Partial<Omit<HttpParts, 'settings'>> & { settings?: Partial<HttpSettings> } = {},
): TestHttp {
  const base = testExecution(database)
  const app = createApp({
    execution: base.execution,
    ready: () => true,
    settings: {
      hosts: () => [testHost],
      origins: [],
      submitsPerMinute: 100_000,
      secureCookie: false,
      ...settings,
    },
    ...parts,
  })
  const call = async (path: string, request: TestRequest = {}) => {
    const response = await app.request(`${testOrigin}${path}`, requestInit(request))
    await holdToContract(request.method ?? 'GET', path, response.clone())
    return response
  }
  const signIn = async (who: Scope) => {
    const { token } = await makeLoginLink(base.execution, who)
    return cookieOf(await call(`/login/${token}`))
  }
  return {
    ...base,
    app,
    call,
    signIn,
    async json(path, request) {
      const response = await call(path, request)
      expect(response.ok, `${response.status} ${path}`).toBe(true)
      return response.json()
    },
    async visitor() {
      const who = await base.person()
      return { who, cookie: await signIn(who) }
    },
  }
}

/** What a browser would send back of a response that sets one cookie. */
export function cookieOf(response: Response): string {
  return (response.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
}

function requestInit({ method = 'GET', cookie, body, headers, signal }: TestRequest): RequestInit {
  const raw = typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream
  return {
    method,
    ...(signal && { signal }),
    headers: {
      ...(cookie && { cookie }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: raw ? sendable(body) : JSON.stringify(body), duplex: 'half' }),
  }
}

/** Only called with what `requestInit` found to be text, bytes or a stream. */
function sendable(body: unknown): BodyInit {
  return body as BodyInit
}

async function holdToContract(method: string, path: string, response: Response): Promise<void> {
  const type = response.headers.get('content-type') ?? ''
  if (type === 'application/problem+json') {
    if (method === 'HEAD') return
    const told = problem.parse(await response.json())
    expect([told.status, statusOf(told.code)]).toEqual([response.status, response.status])
    return
  }
  const endpoint = endpointOf(method, path)
  if (endpoint === undefined || !response.ok) return
  const answer = endpoint.responses[response.status]
  if (answer === undefined)
    throw new Error(`${method} ${path} answers ${response.status}, which it does not promise`)
  if (answer === null) expect(await response.text()).toBe('')
  else if (typeof answer === 'string') expect(type).toBe(answer)
  else answer.parse(await response.json())
}

function endpointOf(method: string, path: string): Endpoint | undefined {
  const all: Endpoint[] = Object.values(endpoints)
  const [pathname = ''] = path.split('?')
  return all
    .filter((endpoint) => endpoint.method === method)
    .sort((a, b) => placeholders(a) - placeholders(b))
    .find((endpoint) => new RegExp(`^${endpoint.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname))
}

function placeholders({ path }: Endpoint): number {
  return path.split('{').length
}
