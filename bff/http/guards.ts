import type { MiddlewareHandler } from 'hono'
import { DomainError } from '../domain/errors.ts'
import type { HttpEnv, HttpSettings } from './http-parts.ts'
import type { Sessions } from './remembered-sessions.ts'
import { readSessionCookie } from './session-cookie.ts'

type Guard = MiddlewareHandler<HttpEnv>

/**
 * Answers only to our own names: a page of another site whose name was made to point here (DNS rebinding) sends its
 * own. The request's address counts too, since an absolute one overrides the header.
 */
export function hostGuard(settings: HttpSettings): Guard {
  return async (context, next) => {
    const ours = new Set(settings.hosts().map((host) => host.toLowerCase()))
    const header = context.req.header('host')
    const named = [new URL(context.req.url).host, ...(header === undefined ? [] : [header])]
    if (!named.every((host) => ours.has(host.toLowerCase()))) {
      throw new DomainError('forbidden_host', 'This server does not answer to that host name.')
    }
    await next()
  }
}

const safeMethods = ['GET', 'HEAD']
const ownSites = ['same-origin', 'none']

/**
 * Refuses what pages of other sites start. Browsers say where a request comes from in `Origin`, and, for requests
 * without it, in `Sec-Fetch-Site`; another port of this machine is *same-site*, which is not ours either.
 */
export function originGuard(settings: HttpSettings): Guard {
  return async (context, next) => {
    const origin = context.req.header('origin')
    const site = context.req.header('sec-fetch-site')
    const unsafe = !safeMethods.includes(context.req.method)
    const foreignOrigin = origin !== undefined && !isOurs(origin, settings)
    const foreignSite = site !== undefined && !ownSites.includes(site)
    if (foreignOrigin || (unsafe && foreignSite)) {
      throw new DomainError('forbidden_origin', 'This request was started by another site.')
    }
    await next()
  }
}

/** Everything behind it needs a session: without one 401, never a redirect, which a stream would follow for ever. */
export function sessionGuard(sessions: Sessions): Guard {
  return async (context, next) => {
    const token = readSessionCookie(context)
    const signedIn = token === null ? null : await sessions.find(token)
    if (token === null || signedIn === null) {
      throw new DomainError(
        'unauthenticated',
        'Sign in to continue: `mission login-link` prints a link that does.',
      )
    }
    context.set('session', { ...signedIn, token })
    await next()
  }
}

function isOurs(origin: string, { hosts, origins, secureCookie }: HttpSettings): boolean {
  const scheme = secureCookie ? 'https' : 'http'
  return origins.includes(origin) || hosts().some((host) => origin === `${scheme}://${host.toLowerCase()}`)
}
