import * as z from 'zod/mini'

/**
 * A UUID in its canonical lower-case form (RFC 9562), any version: we mint v7 for rows, v5 for responses;
 * a client may mint its prompt's id, which is then the idempotency key.
 */
export const uuid = z
  .string()
  .check(
    z.regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, 'must be a lower-case UUID'),
  )

/** An opaque position in the events: skips nothing, repeats nothing. Its inside belongs to the store. */
export const cursor = z.string().check(z.minLength(1), z.maxLength(2_000))

/** An instant as ISO 8601 in UTC with milliseconds, as JSON carries every time. */
export const instant = z.iso.datetime({ offset: true })
