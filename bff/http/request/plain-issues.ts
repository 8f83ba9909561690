import type * as z from 'zod/mini'
import type { FieldError } from '../../../shared/problem.ts'

const errorsMax = 20
const fieldCharsMax = 200

/** The words for what zod found, where the contract has none of its own: they follow the name of the field. */
export function plainMessage(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'is missing'
        : `must be ${kindWords[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`
    case 'too_small':
      return atLeast(issue.origin, Number(issue.minimum), issue.inclusive ?? true)
    case 'too_big':
      return atMost(issue.origin, Number(issue.maximum), issue.inclusive ?? true)
    case 'invalid_format':
      return formatWords[issue.format] ?? 'is malformed'
    case 'unrecognized_keys':
      return 'is not a known field'
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      return 'is not valid'
    default:
      return 'is not valid'
  }
}

/** Each issue as a field and its message; a request full of them names the first twenty. */
export function fieldErrors(issues: readonly z.core.$ZodIssue[]): FieldError[] {
  return issues
    .flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => ({ field: fieldPath([...issue.path, key]), message: issue.message }))
        : [{ field: fieldPath(issue.path), message: issue.message }],
    )
    .slice(0, errorsMax)
}

/** `options.context_ids[3]`; the value itself has the empty path. */
export function fieldPath(path: readonly PropertyKey[]): string {
  const text = path.reduce<string>((whole, part) => {
    if (typeof part === 'number') return `${whole}[${part}]`
    return whole === '' ? String(part) : `${whole}.${String(part)}`
  }, '')
  return text.slice(0, fieldCharsMax)
}

const kindWords: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
}

const formatWords: Readonly<Record<string, string>> = {
  datetime: 'must be an ISO 8601 time with its zone, such as 2030-01-31T09:00:00Z',
}

function atLeast(origin: string, least: number, inclusive: boolean): string {
  if (origin === 'string') return least === 1 ? 'must not be empty' : `must have at least ${least} characters`
  if (origin === 'array') return least === 1 ? 'must not be empty' : `must have at least ${least} items`
  return inclusive ? `must be at least ${least}` : `must be more than ${least}`
}

function atMost(origin: string, most: number, inclusive: boolean): string {
  if (origin === 'string') return `must have at most ${most} characters`
  if (origin === 'array') return `must have at most ${most} items`
  return inclusive ? `must be at most ${most}` : `must be less than ${most}`
}
