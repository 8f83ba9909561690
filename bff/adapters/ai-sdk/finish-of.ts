const endWords = /^(eos|eos_token|end_turn|end|stop_sequence|complete|completed|done)$/
const lengthWords = /^(max_tokens|max_output_tokens|model_length|context_length|length_limit)$/
const filterWords = /filter|safety|sensitive|prohibited|blocklist|refusal|recitation/

/**
 * Why an answer ended. The SDK knows OpenAI's words and calls every other `other`, a stream without any `error`; the
 * provider's own word says more. Null when there was none.
 */
export function finishOf(finish: {
  finishReason: string | null
  rawFinishReason: string | null
}): string | null {
  if (finish.finishReason === 'error') return null
  if (finish.finishReason !== 'other') return finish.finishReason
  const word = finish.rawFinishReason?.toLowerCase() ?? ''
  if (word === '') return null
  if (endWords.test(word)) return 'stop'
  if (lengthWords.test(word)) return 'length'
  return filterWords.test(word) ? 'content-filter' : 'other'
}
