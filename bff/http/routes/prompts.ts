import { endpoints } from '../../../shared/api.ts'
import { cancelPrompt } from '../../execution/cancel-prompt.ts'
import type { Execution } from '../../execution/context.ts'
import { markSeen } from '../../execution/mark-seen.ts'
import { readPrompt, readThread } from '../../execution/observe/read-prompt.ts'
import { retryPrompt } from '../../execution/retry-prompt.ts'
import { submitPrompt } from '../../execution/submit-prompt.ts'
import { type Route, route } from '../route.ts'

export function promptRoutes(execution: Execution): Route[] {
  return [
    route(endpoints.submitPrompt, ({ session, body }) => submitPrompt(execution, session, body)),
    route(endpoints.markSeen, ({ session, body }) => markSeen(execution, session, body.prompts)),
    route(endpoints.readPrompt, ({ session, params }) => readPrompt(execution, session, params.prompt_id)),
    route(endpoints.readThread, ({ session, params, query }) =>
      readThread(execution, session, params.prompt_id, query),
    ),
    route(endpoints.retryPrompt, ({ session, params }) => retryPrompt(execution, session, params.prompt_id)),
    route(endpoints.cancelPrompt, ({ session, params }) =>
      cancelPrompt(execution, session, params.prompt_id),
    ),
  ]
}
