import { type Failure, failure } from '../../../domain/failure.ts'
import type { CallLimits } from '../../../domain/ports.ts'
import type { Overrun } from '../call-timers.ts'
import type { Reply } from '../capture-fetch.ts'
import { bodyFailure, streamFailure } from './answer-failure.ts'
import type { CallFacts } from './call-facts.ts'
import { connectionFailure } from './connection-failure.ts'
import { faultOf, policyOf } from './fault.ts'
import { faultSentence } from './fault-sentence.ts'
import { quotable, redact } from './plain-words.ts'
import { errorInTail, type ProviderError, readProviderError } from './provider-error.ts'
import { type RetryAfter, readRetryAfter } from './retry-after.ts'

/** The shortest wait after a rate limit: `Retry-After: 0` spends no attempt and would be asked again without a pause. */
const rateLimitWaitMinMs = 1_000
const modelCharsMax = 80

/** Facts → what the queue needs, with two plain clauses: what happened, and what helps (DESIGN §5, failure kinds). */
export function classifyFailure(facts: CallFacts): Failure {
  const { message, ...judged } = judge(facts)
  return { ...judged, message: redact(message, facts.secrets) }
}

function judge(facts: CallFacts): Failure {
  const { reply, overrun } = facts
  if (overrun && !facts.brokenLine) return failure('timeout', overrunSentence(overrun, facts.limits))
  if (!reply) return connectionFailure(facts.trail, facts.address) ?? unknownFailure
  if (reply.status < 200 || reply.status >= 300) {
    return spokenFailure(facts, reply, reply.status, readProviderError(reply.json))
  }
  if (facts.finishReason === 'content-filter') {
    return spokenFailure(facts, reply, null, filteredByFinish)
  }
  const inBand = facts.inBand ?? readProviderError(reply.json) ?? errorInTail(reply.tail)
  if (inBand) return spokenFailure(facts, reply, null, inBand)
  const broken = reply.ended ? null : connectionFailure(facts.trail, facts.address)
  return broken ?? bodyFailure(facts) ?? streamFailure(facts)
}

/** A refusal by status, or an error inside a 200 (`status` null). */
function spokenFailure(
  facts: CallFacts,
  reply: Reply,
  status: number | null,
  error: ProviderError | null,
): Failure {
  const wait = readRetryAfter(reply.headers, reply.receivedAt)
  const fault = faultOf(status, error, wait !== undefined)
  const { kind, retryable } = policyOf[fault]
  const sentence = faultSentence[fault]({
    model: facts.model.slice(0, modelCharsMax),
    tag: tagOf(status ?? error?.status ?? null, requestIdOf(reply)),
    quote: quotable(error?.message ?? '', facts.secrets),
    categories: error?.categories ?? [],
    keyless: facts.secrets.length === 0,
    wait: waitSentence(wait),
  })
  if (!retryable || !wait) return failure(kind, sentence, { retryable })
  const retryAfterMs = Math.max(kind === 'rate_limit' ? rateLimitWaitMinMs : 0, wait.waitMs)
  return failure(kind, sentence, { retryable, retryAfterMs })
}

/** The provider's name for this request, null when it gave none that is safe to show and store. */
export function requestIdOf(reply: Reply | null): string | null {
  const id = reply?.headers.get('x-request-id') ?? reply?.headers.get('request-id') ?? ''
  return /^[\w.:-]{1,128}$/.test(id) ? id : null
}

function tagOf(status: number | null, requestId: string | null): string {
  const parts = [status, requestId && `request ${requestId}`].filter(Boolean)
  return parts.length > 0 ? ` (${parts.join(', ')})` : ''
}

function waitSentence(wait: RetryAfter | undefined): string {
  if (!wait) return ''
  if (wait.capped) return ' It asks to wait for more than a day; it will be asked again after 24 h.'
  return ` It asks to wait ${Math.ceil(wait.waitMs / 1_000)} s.`
}

function overrunSentence(overrun: Overrun, limits: CallLimits): string {
  const seconds = (ms: number) => `${Math.round(ms / 100) / 10} s`
  switch (overrun) {
    case 'first-token':
      return `The provider sent nothing for ${seconds(limits.firstTokenMs)}, and the call was ended. Try again; a model that has to load first may need a longer limit.`
    case 'silence':
      return `The provider fell silent for ${seconds(limits.silenceMs)} in the middle of its answer, and the call was ended. Trying again usually helps.`
    case 'total':
      return `The answer was not whole after ${seconds(limits.totalMs)}, and the call was ended. Ask for less, or give the prompt a larger budget.`
  }
}

const filteredByFinish: ProviderError = { status: null, words: 'content_filter', message: '', categories: [] }

const unknownFailure = failure(
  'unknown',
  'The call failed for a reason we do not know. Try again, or choose another model if it goes on.',
)
