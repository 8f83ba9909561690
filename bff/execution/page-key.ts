import { DomainError } from '../domain/errors.ts'

/** A place in pages that go by `(created_at, id)`. */
export interface PageKey {
  createdAt: Date
  id: string
}

const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The place behind a prompt, as clients carry it. */
export function encodePageKey(last: { created_at: string; prompt_id: string }): string {
  return `${new Date(last.created_at).getTime()}_${last.prompt_id}`
}

/** @throws DomainError `malformed_cursor` naming `field` for anything that `encodePageKey` did not make. */
export function decodePageKey(field: string, text: string): PageKey {
  const [ms = '', id = '', ...more] = text.split('_')
  const createdAt = new Date(/^\d{1,15}$/.test(ms) ? Number(ms) : Number.NaN)
  if (more.length === 0 && idPattern.test(id) && !Number.isNaN(createdAt.getTime())) return { createdAt, id }
  const message = 'is not a position that this server gave'
  throw new DomainError('malformed_cursor', `${field} ${message}.`, { errors: [{ field, message }] })
}
