import * as z from 'zod/mini'
import { uuid } from './ids.ts'
import { pageLimitMax, viewsMax } from './observe.ts'

/** Queries arrive as text: each of these takes text and yields what is meant. */

/** How many rows a page may have: a whole number from 1 to 500, in digits. */
export const pageLimit = z.pipe(
  z
    .string()
    .check(
      z.refine(
        (text) => /^[0-9]{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= pageLimitMax,
        `must be a whole number from 1 to ${pageLimitMax}`,
      ),
    ),
  z.transform(Number),
)

/** Ids joined by commas, 200 at most. */
export const idList = z.pipe(
  z.pipe(
    z.string().check(z.minLength(1, 'must name at least one id'), z.maxLength(viewsMax * 37)),
    z.transform((text) => text.split(',')),
  ),
  z.array(uuid).check(z.maxLength(viewsMax, `must name at most ${viewsMax} ids`)),
)

/** Where a list goes on: what an earlier page of the same list gave. */
export const pagePosition = z.string().check(z.minLength(1), z.maxLength(500))

/** `limit` and `after` of lists that page forward. */
export const pageQuery = z.strictObject({ limit: z.optional(pageLimit), after: z.optional(pagePosition) })

/** A yes or no. */
export const flag = z.pipe(
  z.enum(['true', 'false']),
  z.transform((text) => text === 'true'),
)
