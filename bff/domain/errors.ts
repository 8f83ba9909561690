import type { ErrorCode, FieldError } from '../../shared/problem.ts'

/** What a refusal may say beside its sentence: the fields that are wrong, the job that won, its state. */
export interface ErrorDetails {
  errors?: readonly FieldError[]
  state?: string
  job_id?: string
  retryAfterSeconds?: number
}

/**
 * An expected failure: it has a stable code and one plain sentence that is safe to show.
 * Programmer errors are plain `Error`s and never reach a person in words.
 */
export class DomainError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(message, options)
    this.name = 'DomainError'
    this.code = code
    this.details = details
  }
}

/** A request that is wrong in one named field. */
export function invalidField(field: string, message: string): DomainError {
  return new DomainError('invalid_request', `${field} ${message}`, { errors: [{ field, message }] })
}

/** The same answer for "not yours" and "none": which of the two is nobody's business. */
export function notFound(what: string): DomainError {
  return new DomainError('not_found', `There is no such ${what}.`)
}
