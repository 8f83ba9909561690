import type { ModelsResponse } from '../../shared/observe.ts'
import { offeredModels } from './choose-model.ts'
import type { Execution } from './context.ts'

/** What the compose bar offers. */
export function readModels(execution: Execution): ModelsResponse {
  return offeredModels(execution.providers)
}
