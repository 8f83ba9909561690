import type { SubmitRequest } from '../../../shared/submit.ts'
import { DomainError } from '../../domain/errors.ts'

/** One line of a bulk request: as it was sent, and what it asks for or why that cannot be read. */
export interface BulkLine {
  raw: unknown
  request: SubmitRequest | DomainError
}

/** What became of a line; `promptId` of a refused one is the id it gave itself, if it gave one. */
export type BulkOutcome =
  | { index: number; status: 'accepted' | 'already_accepted'; promptId: string; jobId: string }
  | { index: number; status: 'refused'; promptId: string | null; error: DomainError }

/** How a line is called in refusals, its own and those of others. */
export function lineName(index: number): string {
  return `prompts.${index}`
}

/** A refusal with its fields named from the whole request: `prompts.3.options.priority`. */
export function atLine(index: number, error: DomainError): DomainError {
  const { errors = [{ field: '', message: error.message }] } = error.details
  const name = lineName(index)
  return new DomainError(
    error.code,
    `${name}: ${error.message}`,
    {
      ...error.details,
      errors: errors.map(({ field, message }) => ({
        field: field === '' ? name : `${name}.${field}`,
        message,
      })),
    },
    { cause: error },
  )
}
