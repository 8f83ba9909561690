const dayMs = 86_400_000

/**
 * Cuts instants into calendar days of one time zone.
 *
 * The result is the number of days from 1970-01-01 to the local date, so that days compare and subtract as
 * numbers. Asking Intl costs microseconds, too much for every prompt: the zone's offset is kept for both ends
 * of each UTC day, and only days in which it changes ask for each instant.
 *
 * @throws RangeError for a time zone that Intl does not know
 */
export function zoneDays(timeZone: string): (instantMs: number) => number {
  const known = zones.get(timeZone)
  if (known) return known
  const offsetAt = zoneOffset(timeZone)
  const offsets = new Map<number, number>()
  const offsetAtStart = (utcDay: number) => {
    let offset = offsets.get(utcDay)
    if (offset === undefined) {
      offset = offsetAt(utcDay * dayMs)
      offsets.set(utcDay, offset)
    }
    return offset
  }
  const dayOf = (instantMs: number) => {
    const utcDay = Math.floor(instantMs / dayMs)
    const before = offsetAtStart(utcDay)
    const offsetMs = before === offsetAtStart(utcDay + 1) ? before : offsetAt(instantMs)
    return Math.floor((instantMs + offsetMs) / dayMs)
  }
  zones.set(timeZone, dayOf)
  return dayOf
}

const zones = new Map<string, (instantMs: number) => number>()

/** Milliseconds to add to an instant so that its UTC fields read as local ones. */
function zoneOffset(timeZone: string): (instantMs: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  return (instantMs) => {
    const part: Record<string, string> = {}
    for (const { type, value } of format.formatToParts(instantMs)) part[type] = value
    const local = Date.UTC(
      Number(part.year),
      Number(part.month) - 1,
      Number(part.day),
      Number(part.hour),
      Number(part.minute),
      Number(part.second),
    )
    return local - Math.floor(instantMs / 1000) * 1000
  }
}
