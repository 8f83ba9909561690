import { endpoints } from '../../../shared/api.ts'
import type { ActionsResponse } from '../../../shared/contracts/actions.ts'
import type { Execution } from '../../execution/context.ts'
import { actOnPrompts } from '../../execution/queue/act-on-prompts.ts'
import type { ActionOutcome } from '../../execution/queue/action-outcome.ts'
import { problemOf } from '../problem-response.ts'
import { type Route, route } from '../route.ts'

export function actionRoutes(execution: Execution): Route[] {
  return [
    route(endpoints.actOnPrompts, async ({ session, body }) => ({
      outcomes: (await actOnPrompts(execution, session, body)).map(lineOf),
    })),
  ]
}

function lineOf(outcome: ActionOutcome): ActionsResponse['outcomes'][number] {
  const { promptId: prompt_id } = outcome
  return 'refused' in outcome
    ? { prompt_id, status: 'refused', problem: problemOf(outcome.refused) }
    : { prompt_id, status: 'done', job_id: outcome.jobId, state: outcome.state }
}
