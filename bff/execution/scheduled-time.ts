import type { SubmitOptions } from '../../shared/submit.ts'
import { invalidField } from '../domain/errors.ts'

/**
 * When a prompt is to run at the earliest; null for at once. Years are those that every database and every text form
 * of a time has in common.
 *
 * @throws DomainError `invalid_request` naming `options.scheduled_for`.
 */
export function scheduledTime(options: SubmitOptions): Date | null {
  if (options.scheduled_for === undefined) return null
  const at = new Date(options.scheduled_for)
  const year = at.getUTCFullYear()
  if (year >= 1970 && year <= 9999) return at
  throw invalidField('options.scheduled_for', 'must lie between the years 1970 and 9999')
}
