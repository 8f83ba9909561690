import { createHash } from 'node:crypto'
import type { SubmitRequest } from '../../../shared/submit.ts'

/** The content of a request, its id apart, independent of the order in which its options were written. */
export function requestDigest(request: SubmitRequest): string {
  const { text, parent_id = null, root_entity_id = null, options = {} } = request
  const sorted = Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1))
  return digestOf([text, parent_id, root_entity_id, sorted.map(([name, value]) => [name, inOrder(value)])])
}

/**
 * The lines of a bulk request as they were sent, ids included, in their order. Whether all or none was asked for does
 * not count: the same lines sent again the other way must add nothing either.
 */
export function bulkDigest(lines: readonly unknown[]): string {
  return digestOf(lines.map(inOrder))
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}

/** The same value with the names of its objects sorted. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, inner]) => [name, inOrder(inner)]))
}
