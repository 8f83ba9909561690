import * as z from 'zod/mini'
import { DomainError } from '../../domain/errors.ts'
import { fieldErrors, plainMessage } from './plain-issues.ts'

/**
 * `value` as the contract has it. `whole` names the value itself in the sentence: "The body must be an object."
 *
 * @throws DomainError `invalid_request` that names every field that is wrong.
 */
export function parseWith<S extends z.ZodMiniType>(schema: S, value: unknown, whole: string): z.output<S> {
  const result = z.safeParse(schema, value, { error: plainMessage })
  if (result.success) return result.data
  const errors = fieldErrors(result.error.issues)
  const [first] = errors
  const sentence = `${first?.field || whole} ${first?.message ?? 'is not valid'}`
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  throw new DomainError('invalid_request', `${sentence}${more}.`, { errors })
}
