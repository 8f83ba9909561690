const secondMs = 1_000
const waitMaxMs = 24 * 60 * 60 * secondMs

/** How long a provider asks us to stay away. `capped`: it asked for more than the day we are ready to wait. */
export interface RetryAfter {
  waitMs: number
  capped: boolean
}

/**
 * Reads `retry-after-ms` (milliseconds), else `retry-after` (seconds or an HTTP date), undefined for anything else.
 * A date is measured against the reply's own `Date` header where it has one, so that a wrong clock on either side
 * does not matter; a past date means now.
 */
export function readRetryAfter(headers: Headers, receivedAt: Date): RetryAfter | undefined {
  const waitMs =
    scaled(headers.get('retry-after-ms'), 1) ??
    scaled(headers.get('retry-after'), secondMs) ??
    untilDate(headers.get('retry-after'), parseHttpDate(headers.get('date')) ?? receivedAt.getTime())
  if (waitMs === undefined) return undefined
  return { waitMs: Math.min(waitMs, waitMaxMs), capped: waitMs > waitMaxMs }
}

/** Some servers print a float (`1.5`, `1e+09`) where the RFC wants digits; its meaning is plain. */
function scaled(value: string | null, unitMs: number): number | undefined {
  const text = value?.trim() ?? ''
  return /^\d+(\.\d+)?(e\+?\d{1,3})?$/i.test(text) ? Math.ceil(Number(text) * unitMs) : undefined
}

function untilDate(value: string | null, fromMs: number): number | undefined {
  const at = parseHttpDate(value)
  return at === undefined ? undefined : Math.max(0, at - fromMs)
}

/** The three forms of RFC 9110: IMF-fixdate, RFC 850, asctime. `Date.parse` alone accepts far too much. */
function parseHttpDate(value: string | null): number | undefined {
  const text = value?.trim() ?? ''
  const zoned =
    /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text) ||
    /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/.test(text)
  const asctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/.test(text)
  if (!zoned && !asctime) return undefined
  const at = Date.parse(zoned ? text : `${text} GMT`)
  return Number.isNaN(at) ? undefined : at
}
