import type { ErrorKind } from '../../shared/job.ts'
import { errorMessageCharsMax } from '../../shared/text.ts'
import { storable } from './prompt-text.ts'

/** Why one attempt did not succeed, as the queue needs to know it (`PROVIDERS`: fault → kind). */
export interface Failure {
  kind: ErrorKind
  /** May another attempt help? Decided by the fault, not by the attempts left. */
  retryable: boolean
  /** One plain sentence, what happened and what helps: at most 500 characters, no markup, JSON, stack or secret. */
  message: string
  /** The provider's own word on when to come back, in ms; never scaled. */
  retryAfterMs?: number
}

/** Whether a kind is retried when the fault says nothing more exact (DESIGN §5, failure kinds). */
export const retriedByKind: Readonly<Record<ErrorKind, boolean>> = {
  timeout: true,
  rate_limit: true,
  provider_5xx: true,
  provider_4xx: false,
  parse: false,
  auth: false,
  worker_crash: true,
  stuck: false,
  unknown: true,
  external: false,
}

/** A failure with a sentence fit to store and show. */
export function failure(
  kind: ErrorKind,
  message: string,
  more: Partial<Omit<Failure, 'kind' | 'message'>> = {},
): Failure {
  return { retryable: retriedByKind[kind], ...more, kind, message: plainSentence(message) }
}

function plainSentence(text: string): string {
  const flat = storable(text).replace(/\s+/g, ' ').trim()
  return flat.length <= errorMessageCharsMax
    ? flat
    : `${flat.slice(0, errorMessageCharsMax - 1).toWellFormed()}…`
}
