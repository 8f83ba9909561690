import type { ErrorKind } from '../../../../shared/job.ts'
import type { ProviderError } from './provider-error.ts'

/** What can go wrong with a call, by what a person can do about it. */
export type Fault =
  | 'quota'
  | 'limit'
  | 'auth'
  | 'filtered'
  | 'too-long'
  | 'no-model'
  | 'refused'
  | 'conflict'
  | 'timeout'
  | 'overloaded'
  | 'provider-failed'

/** What each fault means to the queue (`PROVIDERS`, fault → kind). */
export const policyOf: Readonly<Record<Fault, { kind: ErrorKind; retryable: boolean }>> = {
  quota: { kind: 'rate_limit', retryable: false },
  limit: { kind: 'rate_limit', retryable: true },
  auth: { kind: 'auth', retryable: false },
  filtered: { kind: 'provider_4xx', retryable: false },
  'too-long': { kind: 'provider_4xx', retryable: false },
  'no-model': { kind: 'provider_4xx', retryable: false },
  refused: { kind: 'provider_4xx', retryable: false },
  conflict: { kind: 'provider_4xx', retryable: true },
  timeout: { kind: 'timeout', retryable: true },
  overloaded: { kind: 'provider_5xx', retryable: true },
  'provider-failed': { kind: 'provider_5xx', retryable: true },
}

const quotaWords =
  /insufficient_quota|quota_exceeded|billing|insufficient_(credit|balance|funds)|credit_balance|payment_required|out_of_credit/
const quotaSentence =
  /exceeded your current quota|insufficient (credit|balance|fund|quota)|credit balance is too low|out of credits|billing (hard )?limit/i
const filterWords =
  /content_?filter|content_policy|responsibleaipolicy|moderation|safety|data_inspection_failed/
const tooLongWords = /context_length|context_size|context_window|string_above_max_length|prompt_too_long/
const tooLongSentence =
  /context (length|window|size)|maximum context|prompt is too long|too many (input )?tokens|input is too long/i

/**
 * The fault that a status and the provider's words speak of. The words go first where they say more than the status:
 * used-up quota looks like a rate limit, a filter and a long context look like any bad request.
 * `status` is null for an error inside a 200; `mayPass` is true when the provider said when to come back.
 */
export function faultOf(status: number | null, error: ProviderError | null, mayPass: boolean): Fault {
  const code = status ?? error?.status ?? null
  const words = error?.words ?? ''
  const message = error?.message ?? ''
  if (code === null || (code >= 400 && code < 500)) {
    if (code === 402 || quotaWords.test(words)) return 'quota'
    // Some providers use the same sentence for limits per minute, but those come with a wait.
    if (!mayPass && quotaSentence.test(message)) return 'quota'
    if (filterWords.test(words)) return 'filtered'
    if (code !== 429 && (tooLongWords.test(words) || tooLongSentence.test(message))) return 'too-long'
  }
  return code === null ? faultByWords(words) : faultByStatus(code)
}

function faultByStatus(status: number): Fault {
  if (status === 401 || status === 403 || status === 407) return 'auth'
  if (status === 404) return 'no-model'
  if (status === 408) return 'timeout'
  if (status === 409) return 'conflict'
  if (status === 413) return 'too-long'
  if (status === 429) return 'limit'
  if (status === 529) return 'overloaded'
  return status >= 500 ? 'provider-failed' : 'refused'
}

function faultByWords(words: string): Fault {
  if (/rate_?limit|too_many_requests|resource_exhausted|throttl/.test(words)) return 'limit'
  if (/authenticat|unauthorized|permission|forbidden|api_key/.test(words)) return 'auth'
  if (/model_not_found/.test(words)) return 'no-model'
  if (/invalid_request|bad_request|not_found|unsupported|invalid_argument/.test(words)) return 'refused'
  if (/timeout|timed_out|deadline/.test(words)) return 'timeout'
  if (/overload|unavailable|capacity/.test(words)) return 'overloaded'
  return 'provider-failed'
}
