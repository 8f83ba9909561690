import type { ActionsResponse } from '../../shared/contracts/actions.ts'
import type { ActionOutcome } from '../execution/queue/action-outcome.ts'
import { problemOf } from './problem-response.ts'

/** What became of each of many prompts, as the contract has it. */
export function actionsResponse(outcomes: readonly ActionOutcome[]): ActionsResponse {
  return {
    outcomes: outcomes.map((outcome) =>
      'refused' in outcome
        ? { prompt_id: outcome.promptId, status: 'refused', problem: problemOf(outcome.refused) }
        : { prompt_id: outcome.promptId, status: 'done', job_id: outcome.jobId, state: outcome.state },
    ),
  }
}
