import { endpoints } from '../../../shared/api.ts'
import type { Execution } from '../../execution/context.ts'
import { readModels } from '../../execution/read-models.ts'
import { describeSession } from '../../execution/sessions.ts'
import type { HttpSettings } from '../http-parts.ts'
import type { Sessions } from '../remembered-sessions.ts'
import { type Route, route } from '../route.ts'
import { dropSessionCookie } from '../session-cookie.ts'

export function sessionRoutes(execution: Execution, settings: HttpSettings, sessions: Sessions): Route[] {
  return [
    route(endpoints.readSession, ({ session }) => describeSession(execution, session)),
    route(endpoints.endSession, async ({ session, context }) => {
      await sessions.end(session.token)
      dropSessionCookie(context, settings.secureCookie)
    }),
    route(endpoints.readModels, () => readModels(execution)),
  ]
}
