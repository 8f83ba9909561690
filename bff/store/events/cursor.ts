import { DomainError } from '../../domain/errors.ts'

/**
 * A position in the events (DESIGN §4): what is new is what was not visible in the snapshot `from`. A page that has
 * more behind it also fixes `upto` and says after which `(tx, seq)` it goes on.
 */
export interface Cursor {
  epoch: string
  from: string
  upto?: string
  tx?: string
  seq?: number
}

const snapshot = /^\d{1,20}:\d{1,20}:(\d{1,20}(,\d{1,20})*)?$/

/** The cursor as clients carry it: opaque, URL-safe. */
export function encodeCursor(cursor: Cursor): string {
  const { epoch, from, upto, tx, seq } = cursor
  return Buffer.from(JSON.stringify([epoch, from, upto ?? null, tx ?? null, seq ?? null])).toString(
    'base64url',
  )
}

/** @throws DomainError `malformed_cursor` for anything that `encodeCursor` did not make. */
export function decodeCursor(text: string): Cursor {
  const parts = parsed(text)
  if (!Array.isArray(parts) || parts.length !== 5) throw malformed()
  const [epoch, from, upto, tx, seq]: unknown[] = parts
  if (typeof epoch !== 'string' || typeof from !== 'string' || !snapshot.test(from)) throw malformed()
  if (upto === null && tx === null && seq === null) return { epoch, from }
  if (typeof upto !== 'string' || !snapshot.test(upto)) throw malformed()
  if (typeof tx !== 'string' || !/^\d{1,20}$/.test(tx) || !Number.isSafeInteger(seq)) throw malformed()
  return { epoch, from, upto, tx, seq: Number(seq) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    throw malformed()
  }
}

function malformed(): DomainError {
  const message = 'is not a cursor that this server gave'
  return new DomainError('malformed_cursor', `since ${message}.`, { errors: [{ field: 'since', message }] })
}
