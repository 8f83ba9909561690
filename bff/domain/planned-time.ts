import { instantOfWallClock, timeZoneNamed, wallClockAt, wallClockText } from './wall-clock.ts'

/** When something is to happen, and how that was said. */
export interface PlannedTime {
  at: Date
  /** The IANA zone in which it was said; null when only an offset was given. */
  timeZone: string | null
  /** The local time asked for, such as `2027-03-28T02:30`, where clocks leave it out on that day; null where they do not. */
  timeInGap: string | null
}

/**
 * Reads a time with an offset (ISO 8601: `2026-12-01T09:00:00+09:00`, `…Z`), with a zone (RFC 9557:
 * `2026-12-01T09:00[Asia/Tokyo]`), or with both, which must then agree.
 *
 * A local time that daylight saving leaves out means the first instant after the gap (02:30 becomes 03:00), and
 * `timeInGap` says so. One that occurs twice means the first of the two; the other can be named by its offset.
 * Seconds may be left out; finer than milliseconds is cut.
 *
 * @returns what is wrong, in words that follow the field's name, when it is not such a time, of the years 1970 to 9999.
 */
export function readPlannedTime(text: string): PlannedTime | string {
  const match = pattern.exec(text)
  if (!match) return 'must be a time with an offset or a zone, such as 2026-12-01T09:00[Asia/Tokyo]'
  const [, date = '', clock = '', seconds = ':00', fraction = '', offset, zone] = match
  const wallMs = Date.parse(`${date}T${clock}${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}Z`)
  // Date.parse carries 30 February into March.
  if (Number.isNaN(wallMs) || !new Date(wallMs).toISOString().startsWith(`${date}T${clock}`)) {
    return 'names a date or time that does not exist'
  }
  if (offset === undefined && zone === undefined) return 'must name an offset or a zone, such as [Asia/Tokyo]'
  const timeZone = zone === undefined ? null : timeZoneNamed(zone)
  if (zone !== undefined && timeZone === null) return 'names a time zone that is not known'
  if (timeZone === null) return inRange(wallMs - offsetMsOf(offset ?? 'Z'), { timeZone, timeInGap: null })
  if (offset === undefined) {
    const { atMs, inGap } = instantOfWallClock(wallMs, timeZone)
    return inRange(atMs, { timeZone, timeInGap: inGap ? wallClockText(wallMs) : null })
  }
  const atMs = wallMs - offsetMsOf(offset)
  // With a zone beside it, Z states an instant and no local time (RFC 9557).
  if (!/^z$/i.test(offset) && wallClockAt(atMs, timeZone) !== wallMs) {
    return 'has an offset that its zone does not have at that time'
  }
  return inRange(atMs, { timeZone, timeInGap: null })
}

const pattern =
  /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?:(:\d{2})(?:\.(\d{1,9}))?)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?(?:\[!?([^\]]{1,100})\])?$/i

const firstMs = 0
const lastMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** Years that every database and every text form of a time have in common. */
function inRange(atMs: number, said: Pick<PlannedTime, 'timeZone' | 'timeInGap'>): PlannedTime | string {
  if (atMs >= firstMs && atMs <= lastMs) return { at: new Date(atMs), ...said }
  return 'must lie between the years 1970 and 9999'
}

function offsetMsOf(offset: string): number {
  if (/^z$/i.test(offset)) return 0
  const sign = offset.startsWith('-') ? -1 : 1
  return sign * (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4, 6))) * 60_000
}
