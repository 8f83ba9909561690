import { excerpt, storable } from '../../../domain/prompt-text.ts'

const quoteCharsMax = 160

/** Takes out the given secrets and whatever looks like one: keys, bearer tokens, credentials in a URL. */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text
  for (const secret of secrets) if (secret.length >= 4) clean = clean.replaceAll(secret, '[redacted]')
  return clean
    .replace(/\b(?:bearer|basic)\s+[\w.~+/=-]{6,}/gi, '[redacted]')
    .replace(/\b(?:sk|pk|rk|gsk|xai|key|tok(?:en)?|api[_-]?key)[-_=:]\s*[\w*.-]{6,}/gi, '[redacted]')
    .replace(/\bAIza[\w-]{10,}/g, '[redacted]')
    .replace(/\/\/[^\s/@]+:[^\s/@]+@/g, '//[redacted]@')
}

/**
 * A provider's own sentence where it is plain enough to quote, else empty: markup, JSON, paths and stacks are not,
 * and neither is anything that had a secret in it.
 */
export function quotable(message: string, secrets: readonly string[]): string {
  const text = excerpt(storable(message), quoteCharsMax)
  const plain = text !== '' && !/[<>{}[\]\\`|]|\bat \S+:\d+|https?:|Traceback/i.test(text)
  const clean = redact(text, secrets)
  return plain && clean === text ? text.replace(/[\s.]+$/, '') : ''
}
