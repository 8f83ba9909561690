import { type Failure, failure } from '../../../domain/failure.ts'
import type { CallFacts } from './call-facts.ts'

const cut = (message: string) => failure('parse', message, { retryable: true })
const foreign = (message: string) => failure('parse', message, { retryable: false })

/** A 200 whose body is no stream of events and no error, null when it is a stream. */
export function bodyFailure({ reply }: CallFacts): Failure | null {
  switch (reply?.shape) {
    case 'page':
      return cut(
        'A web page came instead of an answer, probably from a proxy. Check the base URL and the network, then retry.',
      )
    case 'text':
      return cut(
        'Something other than an answer came, probably from a proxy. Check the base URL and the network, then retry.',
      )
    case 'broken-json':
      return cut('The provider’s answer was cut off. Trying again usually helps.')
    case 'empty':
      return cut('The provider’s reply was empty. Trying again usually helps.')
    case 'json':
      return foreign(
        'The provider answered in a form that holds no chat answer. Check that the base URL is that of a chat API, then retry.',
      )
    default:
      return null
  }
}

/** A stream that ended by itself, yet without a whole answer. */
export function streamFailure(facts: CallFacts): Failure {
  const { finishReason, reply } = facts
  if (facts.brokenLine)
    return cut('Part of the provider’s answer could not be read. Trying again usually helps.')
  if (finishReason === null && facts.chunks === 0)
    return cut('The provider’s stream was empty. Trying again usually helps.')
  if (finishReason === null && facts.choices === 0 && reply?.tail.includes('[DONE]')) {
    return foreign('The provider’s answer offers no choice of text. Choose another model, then retry.')
  }
  if (finishReason === null || finishReason === 'error')
    return cut('The provider’s answer broke off before its end. Trying again usually helps.')
  if (finishReason === 'tool-calls')
    return foreign(
      'The model asked for a tool instead of answering, and there is none. Rephrase the prompt or choose another model, then retry.',
    )
  if (finishReason === 'length')
    return foreign(
      'The model used up its allowance before it wrote an answer. Ask for less or choose another model, then retry.',
    )
  if (finishReason === 'stop' && facts.nullContent)
    return failure(
      'provider_4xx',
      'The model gave no text, as a refusal or a filter at the provider does. Rephrase the prompt or choose another model, then retry.',
    )
  if (finishReason !== 'stop')
    return cut('The provider ended its answer for a reason of its own. Trying again usually helps.')
  return cut('The model’s answer was empty. Trying again or rephrasing the prompt usually helps.')
}
