import { isRecord, parseJson } from '../reply-body.ts'

/** What a provider says went wrong, whatever shape it says it in. */
export interface ProviderError {
  /** A number it gives as its code or status, such as 503. */
  status: number | null
  /** Its codes and types, lower case, joined by spaces. */
  words: string
  /** Its own sentence; not fit to show as it is. */
  message: string
  /** What a content filter says it found, such as `violence`. */
  categories: readonly string[]
}

/**
 * Reads `{ error: { message, type, code } }`, `{ error: "text" }`, `{ type: "error", error }`, `{ detail }`,
 * `{ code, message }` and a list of such, null for anything else. Codes are numbers or strings, by provider.
 */
export function readProviderError(value: unknown): ProviderError | null {
  if (Array.isArray(value)) return value.length > 0 ? readProviderError(value[0]) : null
  if (!isRecord(value)) return null
  const error = value.error ?? value.detail ?? (looksBare(value) ? value : undefined)
  if (error === undefined || error === null || error === false) return null
  if (typeof error === 'string') return { ...nothing, words: wordsOf(value), message: error }
  if (!isRecord(error)) return nothing
  const inner = isRecord(error.innererror)
    ? error.innererror
    : isRecord(error.inner_error)
      ? error.inner_error
      : {}
  return {
    status: numberIn(error.code) ?? numberIn(error.status) ?? numberIn(error.http_code),
    words: `${wordsOf(error)} ${wordsOf(inner)}`.trim(),
    message: typeof error.message === 'string' ? error.message : '',
    categories: filteredCategories(inner.content_filter_result ?? inner.content_filter_results),
  }
}

/**
 * The error that a broken stream ends with: an event that was glued to a line cut in the middle, or one that some
 * servers send in a field of its own (`error: {…}`), is found by its text.
 */
export function errorInTail(tail: string): ProviderError | null {
  const starts = [...tail.matchAll(/\{\s*"error"\s*:|(?:^|\n)error:\s*\{/g)]
  const last = starts.at(-1)
  if (!last) return null
  const line = tail.slice(tail.indexOf('{', last.index)).split(/\r?\n/, 1)[0] ?? ''
  const value = parseJson(line)
  return readProviderError(isRecord(value) && !('error' in value) ? { error: value } : value)
}

const nothing: ProviderError = { status: null, words: '', message: '', categories: [] }

function looksBare(value: Record<string, unknown>): boolean {
  return typeof value.message === 'string' && !('choices' in value) && !('content' in value)
}

function wordsOf(error: Record<string, unknown>): string {
  return [error.code, error.type, error.status, error.name]
    .filter((word) => typeof word === 'string')
    .join(' ')
    .toLowerCase()
}

function numberIn(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isInteger(number) && number >= 100 && number < 600
    ? number
    : null
}

function filteredCategories(result: unknown): string[] {
  if (!isRecord(result)) return []
  return Object.entries(result)
    .filter(([, verdict]) => isRecord(verdict) && verdict.filtered === true)
    .map(([category]) => category)
    .filter((category) => /^[a-z_ ]{1,30}$/i.test(category))
}
