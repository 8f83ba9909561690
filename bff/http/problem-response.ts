import type { ErrorCode, Problem } from '../../shared/problem.ts'
import { DomainError } from '../domain/errors.ts'

/** The one place where a code becomes a status and a headline. */
const refusals: Readonly<Record<ErrorCode, { status: number; title: string }>> = {
  invalid_request: { status: 400, title: 'The request is not valid' },
  malformed_cursor: { status: 400, title: 'The cursor is malformed' },
  unauthenticated: { status: 401, title: 'Sign in to continue' },
  forbidden_origin: { status: 403, title: 'Requests from other sites are refused' },
  forbidden_host: { status: 403, title: 'This server does not answer to that name' },
  accounts_required: { status: 403, title: 'Accounts are required' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  prompt_conflict: { status: 409, title: 'This id belongs to another prompt' },
  state_conflict: { status: 409, title: 'Not possible in the current state' },
  external_exists: { status: 409, title: 'A cluster job exists for this prompt' },
  gone: { status: 410, title: 'Deleted' },
  link_expired: { status: 410, title: 'This sign-in link no longer works' },
  body_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The body must be JSON' },
  two_predecessors: { status: 422, title: 'A prompt waits for one other at most' },
  unsupported_option: { status: 422, title: 'This option is not available here' },
  invalid_settings: { status: 422, title: 'The settings are not valid' },
  invalid_backup: { status: 422, title: 'The backup is not valid' },
  too_many_requests: { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Something went wrong' },
  not_ready: { status: 503, title: 'Not ready yet' },
  data_dir_locked: { status: 503, title: 'The data directory is in use' },
  database_unavailable: { status: 503, title: 'The database cannot be reached' },
}

export const problemMediaType = 'application/problem+json'

export function statusOf(code: ErrorCode): number {
  return refusals[code].status
}

export function titleOf(code: ErrorCode): string {
  return refusals[code].title
}

/** An expected failure as RFC 9457 tells it; also of one line among many. */
export function problemOf(error: DomainError): Problem {
  const { errors, state, job_id } = error.details
  return {
    type: `urn:mission-field:problem:${error.code}`,
    title: titleOf(error.code),
    status: statusOf(error.code),
    code: error.code,
    detail: error.message,
    ...(errors && { errors: [...errors] }),
    ...(state !== undefined && { state }),
    ...(job_id !== undefined && { job_id }),
  }
}

/** The same as an answer; `headers` are added, `Allow` for example. */
export function problemResponse(
  error: DomainError,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const problem = problemOf(error)
  const { retryAfterSeconds } = error.details
  const all = new Headers({ 'Content-Type': problemMediaType, ...headers })
  if (retryAfterSeconds !== undefined)
    all.set('Retry-After', String(Math.max(1, Math.ceil(retryAfterSeconds))))
  return new Response(JSON.stringify(problem), { status: problem.status, headers: all })
}

/** What a person is told of a programming error: where to find it in the log, and nothing of what it says. */
export function internalProblem(requestId: string): Response {
  const error = new DomainError(
    'internal',
    `Something went wrong on the server. The log has it as ${requestId}.`,
  )
  return problemResponse(error, { 'X-Request-Id': requestId })
}
