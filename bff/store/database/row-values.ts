type Parse = (text: string) => unknown

/** Object ids of PostgreSQL's built-in types; they are the same in every installation. */
const scalarParsers: ReadonlyMap<number, Parse> = new Map<number, Parse>([
  [16, (text) => text === 't'], // bool
  [20, wholeNumber], // int8
  [21, Number], // int2
  [23, Number], // int4
  [26, Number], // oid
  [700, Number], // float4
  [701, Number], // float8
  [1700, Number], // numeric
  [1184, (text) => new Date(text)], // timestamptz
  [114, JSON.parse], // json
  [3802, JSON.parse], // jsonb
])

const elementOfArray: ReadonlyMap<number, number> = new Map([
  [1000, 16], // bool[]
  [1016, 20], // int8[]
  [1005, 21], // int2[]
  [1007, 23], // int4[]
  [1021, 700], // float4[]
  [1022, 701], // float8[]
  [1231, 1700], // numeric[]
  [1185, 1184], // timestamptz[]
  [199, 114], // json[]
  [3807, 3802], // jsonb[]
  [1009, 25], // text[]
  [1015, 1043], // varchar[]
  [2951, 2950], // uuid[]
  [271, 5069], // xid8[]
])

/**
 * How a column's text becomes a value, by the object id of its type. Types that are not listed stay text:
 * among them are `uuid`, `xid8` and `pg_snapshot`, whose digits JavaScript's numbers could not hold.
 */
export const rowParsers: Readonly<Record<number, Parse>> = Object.fromEntries([
  ...scalarParsers,
  ...[...elementOfArray].map(([array, element]): [number, Parse] => [
    array,
    (text) => parseArray(text, scalarParsers.get(element) ?? String),
  ]),
])

/** @throws Error above 2^53, where rounding would go unseen. */
function wholeNumber(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new Error(`${text} is beyond JavaScript's whole numbers`)
  return value
}

/** Reads an array of one dimension in PostgreSQL's text form, such as `{1,NULL,"a \"b\""}`. */
function parseArray(text: string, parse: Parse): unknown[] {
  const items: unknown[] = []
  const item = /"((?:[^"\\]|\\.)*)"|([^,{}"]+)/gs
  for (const [, quoted, bare] of text.matchAll(item)) {
    if (quoted !== undefined) items.push(parse(quoted.replace(/\\(.)/gs, '$1')))
    else if (bare === 'NULL') items.push(null)
    else if (bare !== undefined) items.push(parse(bare))
  }
  return items
}
