import type { Fault } from './fault.ts'

/** What a sentence about a fault may name. */
export interface SentenceFacts {
  model: string
  /** ` (503, request abc)`, or empty. */
  tag: string
  /** The provider's own plain words, or empty. */
  quote: string
  /** What a filter found, or empty. */
  categories: readonly string[]
  keyless: boolean
  /** ` It asks to wait 5 s.`, or empty. */
  wait: string
}

/** What happened, and what helps: two plain clauses, with the status in brackets for whoever asks the provider. */
export const faultSentence: Readonly<Record<Fault, (facts: SentenceFacts) => string>> = {
  quota: ({ tag }) =>
    `The quota or credit of this key is used up${tag}. Add credit at the provider or use another key, then retry.`,
  limit: ({ tag, wait }) =>
    `The provider takes no more requests for now${tag}.${wait || ' Waiting helps, and so does a higher limit at the provider.'}`,
  auth: ({ tag, keyless }) =>
    keyless
      ? `The provider asks for a key and none is set${tag}. Set the key, then retry.`
      : `The provider refused the key${tag}. Renew it or check what it may do, then retry.`,
  filtered: ({ tag, categories }) =>
    `Blocked by the provider’s filter${categories.length > 0 ? ` for ${categories.join(', ')}` : ''}${tag}. Rephrase the prompt or choose another model, then retry.`,
  'too-long': ({ tag }) =>
    `The prompt and its context are too long for the provider${tag}. Shorten them or choose a model with a larger window, then retry.`,
  'no-model': ({ model, tag }) =>
    `The provider has no model “${model}” at this address${tag}. Choose another model or check the base URL, then retry.`,
  refused: ({ tag, quote }) =>
    `The provider refused the request${tag}${quote && `: “${quote}”`}. Change the prompt or the model, then retry.`,
  conflict: ({ tag }) =>
    `The provider was busy with a conflicting request${tag}. Trying again usually helps.`,
  timeout: ({ tag }) => `The provider ran out of time${tag}. Try again, with a shorter prompt if it goes on.`,
  overloaded: ({ tag, wait }) =>
    `The provider is overloaded${tag}.${wait || ' Try again in a while, or choose another model.'}`,
  'provider-failed': ({ tag, wait }) =>
    `The provider failed with an error of its own${tag}.${wait || ' Try again, or choose another model if it goes on.'}`,
}
