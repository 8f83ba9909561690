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

const txMax = 2n ** 64n - 1n

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
  if (typeof epoch !== 'string' || !isSnapshot(from)) throw malformed()
  if (upto === null && tx === null && seq === null) return { epoch, from }
  if (!isSnapshot(upto) || !isTx(tx)) throw malformed()
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 0) throw malformed()
  return { epoch, from, upto, tx, seq }
}

/** What PostgreSQL reads as a `pg_snapshot`, by its own rules: anything else would be an error of the statement. */
function isSnapshot(value: unknown): value is string {
  if (typeof value !== 'string') return false
  const [xmin, xmax, running, ...more] = value.split(':')
  if (!isTx(xmin) || !isTx(xmax) || running === undefined || more.length > 0) return false
  const ids = running === '' ? [] : running.split(',')
  if (!ids.every(isTx)) return false
  const line = [xmin, ...ids].map(BigInt)
  const ascending = line.every((id, index) => index === 0 || id >= (line[index - 1] ?? id))
  const last = line.at(-1) ?? 0n
  return BigInt(xmin) > 0n && ascending && (ids.length > 0 ? last < BigInt(xmax) : last <= BigInt(xmax))
}

function isTx(value: unknown): value is string {
  return typeof value === 'string' && /^\d{1,20}$/.test(value) && BigInt(value) <= txMax
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
