import { type SQL, sql } from 'drizzle-orm'

/** PostgreSQL's names of the element types that statements pass as arrays. */
export type ArrayElement = 'uuid' | 'text' | 'int' | 'bigint' | 'boolean' | 'timestamptz' | 'xid8' | 'jsonb'

type Scalar = string | number | bigint | boolean | Date | null

/**
 * An array as one parameter: `where id = any(${sqlArray(ids, 'uuid')})`. One statement text for every length,
 * the empty array included (a bare array in a `sql` template becomes `($1, $2, …)`, which cannot be empty).
 */
export function sqlArray(values: readonly Scalar[], element: ArrayElement): SQL {
  const literal = `{${values.map(arrayItem).join(',')}}`
  return sql`${literal}::text::${sql.raw(element)}[]`
}

/**
 * A value as `jsonb`, one parameter: `insert … values (${sqlJson(data)})`. Also the way to pass many rows at once:
 * `from jsonb_to_recordset(${sqlJson(rows)}) as r(id uuid, body text)`.
 */
export function sqlJson(value: unknown): SQL {
  const text = JSON.stringify(value)
  if (text === undefined) throw new Error('sqlJson: the value has no JSON form')
  return sql`${text}::text::jsonb`
}

/**
 * Parameters in PostgreSQL's text form. Both drivers then let the server infer the types, instead of guessing
 * from JavaScript's, each in its own way (postgres.js stringifies JSON strings twice, PGlite refuses Dates as text).
 *
 * @throws Error for a value that has no text form of its own: an object, an array, undefined.
 */
export function parameterTexts(parameters: readonly unknown[]): (string | null)[] {
  return parameters.map((value, index) => {
    if (value === null) return null
    if (!isScalar(value)) {
      throw new Error(`Parameter $${index + 1} is ${typeof value}: use sqlArray, sqlJson or null`)
    }
    return scalarText(value)
  })
}

function isScalar(value: unknown): value is Exclude<Scalar, null> {
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value) || value instanceof Date
}

function scalarText(value: Exclude<Scalar, null>): string {
  return value instanceof Date ? value.toISOString() : String(value)
}

function arrayItem(value: Scalar): string {
  return value === null ? 'null' : `"${scalarText(value).replace(/[\\"]/g, '\\$&')}"`
}
