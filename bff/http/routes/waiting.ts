import { endpoints } from '../../../shared/api.ts'
import type { Execution } from '../../execution/context.ts'
import { changePrompt } from '../../execution/queue/change-prompt.ts'
import { readQueue } from '../../execution/queue/read-queue.ts'
import { releasePrompt } from '../../execution/queue/release-prompt.ts'
import { type Route, route } from '../route.ts'

/** What a person may ask of, and do to, what waits. */
export function waitingRoutes(execution: Execution): Route[] {
  return [
    route(endpoints.readQueue, ({ session }) => readQueue(execution, session)),
    route(endpoints.changePrompt, ({ session, params, body }) =>
      changePrompt(execution, session, params.prompt_id, body),
    ),
    route(endpoints.releasePrompt, ({ session, params }) =>
      releasePrompt(execution, session, params.prompt_id),
    ),
  ]
}
