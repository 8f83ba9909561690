import type { ErrorCode, FieldError } from '../../shared/problem.ts'

/** The server refused, or failed, and said so. `detail` is a sentence for people. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem'
  readonly status: number
  /** `unreadable`: what answered does not speak our language, such as a proxy's page. */
  readonly code: ErrorCode | 'unreadable'
  readonly detail: string
  readonly errors: readonly FieldError[]
  /** With a conflict: the state that stands, and the job that holds it. */
  readonly state: string | undefined
  readonly jobId: string | undefined
  /** By the server's word, how long to wait before asking again. */
  readonly retryAfterMs: number | undefined

  constructor(what: {
    status: number
    code: ErrorCode | 'unreadable'
    detail: string
    errors?: readonly FieldError[] | undefined
    state?: string | undefined
    jobId?: string | undefined
    retryAfterMs?: number | undefined
  }) {
    super(what.detail)
    this.status = what.status
    this.code = what.code
    this.detail = what.detail
    this.errors = what.errors ?? []
    this.state = what.state
    this.jobId = what.jobId
    this.retryAfterMs = what.retryAfterMs
  }
}

/** 401: nobody is signed in here any more. Nothing is retried until somebody is. */
export class SignedOut extends Error {
  override readonly name = 'SignedOut'
  constructor() {
    super('Sign in to continue.')
  }
}

/** No answer came: no network, no server, or not in time. Whether the request arrived is unknown. */
export class Offline extends Error {
  override readonly name = 'Offline'
  constructor(cause?: unknown) {
    super('The server cannot be reached.', { cause })
  }
}

/**
 * Whether asking again can only bring the same no: the request itself was refused, by our own server. A full
 * server, a lost session, a fault and a proxy's page are none of that.
 */
export function isDefiniteRefusal(error: unknown): error is ApiProblem {
  if (!(error instanceof ApiProblem) || error.code === 'unreadable') return false
  return error.status >= 400 && error.status < 500 && ![401, 408, 425, 429].includes(error.status)
}

/** One sentence for people about any failure of a call. */
export function errorSentence(error: unknown): string {
  if (error instanceof ApiProblem) {
    const fields = error.errors.map(({ field, message }) => (field === '' ? message : `${field} ${message}`))
    return fields.length === 0 ? error.detail : `${error.detail} ${fields.join('; ')}.`
  }
  if (error instanceof SignedOut || error instanceof Offline) return error.message
  return 'Something unexpected went wrong.'
}
