import type { ServerResponse } from 'node:http'
import type { Context, Hono } from 'hono'
import type { Execution } from '../execution/context.ts'
import type { SignedIn } from '../execution/sessions.ts'

export interface HttpSettings {
  /** The values of `Host` that we answer to; asked at each request, since a port may be known only once we listen. */
  hosts: () => readonly string[]
  /** Origins beside those of `hosts` whose pages may call us, that of a development server for example. */
  origins: readonly string[]
  submitsPerMinute: number
  /** Whether the session cookie travels over TLS only. */
  secureCookie: boolean
}

export interface HttpParts {
  execution: Execution
  settings: HttpSettings
  /** Folder of the built page; without it, or while it is missing, a plain page says how to build. */
  webRoot?: string
  /** Whether migrations have run and the worker claims. */
  ready: () => boolean
}

/** Who asks, and the token that says so. */
export interface Session extends SignedIn {
  token: string
}

export interface HttpEnv {
  /** Absent when `app.request` is called without a server. */
  Bindings: { outgoing?: ServerResponse }
  /** `route`: the path template of the endpoint that answers; absent where none does. */
  Variables: { session: Session; route?: string }
}
export type HttpApp = Hono<HttpEnv>
export type HttpContext = Context<HttpEnv>

/** What a browser on this machine may call a server that listens on loopback at `port`. */
export function loopbackHosts(port: number): string[] {
  // Browsers leave the default port out.
  const suffix = port === 80 ? '' : `:${port}`
  return ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}${suffix}`)
}
