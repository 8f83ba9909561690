import type { SubmitOptions } from '../../../shared/submit.ts'
import { invalidField } from '../../domain/errors.ts'
import type { Execution, Scope } from '../context.ts'
import { prepareSubmit } from '../submit-prompt.ts'

/**
 * Looks at what each run is to ask as a submit would, so that a run is not the first to find fault with it.
 *
 * @throws DomainError as `submitPrompt` does; and `invalid_request` for options that make no sense for what recurs.
 */
export function checkRequest(
  execution: Execution,
  scope: Scope,
  { text, options }: { text: string; options: SubmitOptions },
): void {
  if (options.scheduled_for !== undefined) {
    throw invalidField('options.scheduled_for', 'has no place in a recurring prompt, whose cron says when')
  }
  if (options.after !== undefined) {
    throw invalidField('options.after', 'has no place in a recurring prompt, which runs at its own times')
  }
  prepareSubmit(execution, scope, { text, options })
}
