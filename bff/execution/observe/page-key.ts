import { DomainError } from '../../domain/errors.ts'

/** A place in pages that go by `(created_at, id)`. */
export interface PageKey {
  createdAt: Date
  id: string
}

/** The end of the year 9999: what lies behind it has another text form. */
const lastMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The place behind a prompt, as clients carry it. */
export function encodePageKey(last: { created_at: string; prompt_id: string }): string {
  return `${new Date(last.created_at).getTime()}_${last.prompt_id}`
}

/** @throws DomainError `malformed_cursor` naming `field` for anything that `encodePageKey` did not make. */
export function decodePageKey(field: string, text: string): PageKey {
  const [ms = '', id = '', ...more] = text.split('_')
  const createdMs = /^\d{1,15}$/.test(ms) ? Number(ms) : Number.NaN
  if (more.length === 0 && idPattern.test(id) && createdMs <= lastMs)
    return { createdAt: new Date(createdMs), id }
  const message = 'is not a position that this server gave'
  throw new DomainError('malformed_cursor', `${field} ${message}.`, { errors: [{ field, message }] })
}
