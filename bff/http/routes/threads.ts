import { endpoints } from '../../../shared/api.ts'
import type { Execution } from '../../execution/context.ts'
import { deletePrompt } from '../../execution/delete/delete-prompt.ts'
import { deleteThread } from '../../execution/delete/delete-thread.ts'
import { type Route, route } from '../route.ts'

export function threadRoutes(execution: Execution): Route[] {
  return [
    route(endpoints.retractThread, ({ session, params }) =>
      deleteThread(execution, session, params.thread_id),
    ),
    route(endpoints.retractPrompt, ({ session, params }) =>
      deletePrompt(execution, session, params.prompt_id),
    ),
  ]
}
