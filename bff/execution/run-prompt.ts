import type { PromptDetail } from '../../shared/observe.ts'
import type { SubmitRequest } from '../../shared/submit.ts'
import { isTerminal } from '../domain/job-state.ts'
import type { Execution, Scope } from './context.ts'
import { readPrompt } from './observe/read-prompt.ts'
import { submitPrompt } from './submit-prompt.ts'

/**
 * Enqueues and waits until the prompt has settled: for the CLI and scripts. Giving up waiting (`signal`) ends nothing
 * but the waiting.
 */
export async function runPrompt(
  execution: Execution,
  scope: Scope,
  request: SubmitRequest,
  signal?: AbortSignal,
): Promise<PromptDetail> {
  let wake = (): void => {}
  let changed = true
  const stir = (): void => {
    changed = true
    wake()
  }
  const unsubscribe = execution.database.signals.subscribe('events', stir)
  signal?.addEventListener('abort', stir)
  try {
    const { prompt_id } = await submitPrompt(execution, scope, request)
    for (;;) {
      signal?.throwIfAborted()
      changed = false
      const detail = await readPrompt(execution, scope, prompt_id)
      if (isTerminal(detail.view.state)) return detail
      if (!changed) await new Promise<void>((resolve) => (wake = resolve))
    }
  } finally {
    unsubscribe()
    signal?.removeEventListener('abort', stir)
  }
}
