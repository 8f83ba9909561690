import { endpoints } from '../../../shared/api.ts'
import type { Execution } from '../../execution/context.ts'
import { actOnPrompts } from '../../execution/queue/act-on-prompts.ts'
import { actionsResponse } from '../actions-response.ts'
import { type Route, route } from '../route.ts'

export function actionRoutes(execution: Execution): Route[] {
  return [
    route(endpoints.actOnPrompts, async ({ session, body }) =>
      actionsResponse(await actOnPrompts(execution, session, body)),
    ),
  ]
}
