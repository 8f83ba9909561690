import { endpoints } from '../../../shared/api.ts'
import { DomainError } from '../../domain/errors.ts'
import type { Execution } from '../../execution/context.ts'
import { useLoginLink as redeemLoginLink } from '../../execution/sessions.ts'
import type { HttpContext, HttpSettings } from '../http-parts.ts'
import { plainPage } from '../pages/plain-page.ts'
import { statusOf } from '../problem-response.ts'
import { type Route, route } from '../route.ts'
import { writeSessionCookie } from '../session-cookie.ts'

/**
 * The page behind the redirect asks for no session itself: after a link that was opened from another site the browser
 * withholds a strict cookie from the redirect, and sends it with everything that the page then asks for.
 */
export function loginRoutes(execution: Execution, settings: HttpSettings): Route[] {
  return [
    route(endpoints.useLoginLink, async ({ params, context }) => {
      if (isPrefetch(context))
        throw new DomainError('not_ready', 'A sign-in link is for opening, not for fetching ahead.')
      try {
        const { sessionToken } = await redeemLoginLink(execution, params.token)
        writeSessionCookie(context, sessionToken, settings.secureCookie)
        return context.redirect('/', 303)
      } catch (error) {
        if (error instanceof DomainError && error.code === 'link_expired') return expiredPage()
        throw error
      }
    }),
  ]
}

/** A browser that guesses what will be opened must not use the link up. */
function isPrefetch(context: HttpContext): boolean {
  return /prefetch|prerender/.test(context.req.header('sec-purpose') ?? context.req.header('purpose') ?? '')
}

function expiredPage(): Response {
  return plainPage(statusOf('link_expired'), 'This sign-in link no longer works', [
    'A link signs in one browser, once, within 15 minutes.',
    'Run mission login-link in a terminal on the machine that runs Mission Field, and open the new link.',
    'From a clone of the source: npm run -s mission -- login-link',
  ])
}
