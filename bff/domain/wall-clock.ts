/** What a clock on a wall shows, without a zone: the milliseconds of that date and time read as if they were UTC. */
export type WallMs = number

/**
 * The name of an IANA time zone in its usual spelling, whatever the case it was written in; null for what is none.
 * Offsets such as `+09:00` are not names: they know nothing of daylight saving.
 */
export function timeZoneNamed(text: string): string | null {
  if (!namePattern.test(text)) return null
  try {
    const known = new Intl.DateTimeFormat('en-US', { timeZone: text }).resolvedOptions().timeZone
    // Engines answer an alias with another name of the same zone, which is not what the person wrote.
    return known.toLowerCase() === text.toLowerCase() ? known : text
  } catch {
    return null
  }
}

/** What a clock in `timeZone` shows at that instant. @throws RangeError for a name that is no zone. */
export function wallClockAt(atMs: number, timeZone: string): WallMs {
  const part: Record<string, number> = {}
  for (const { type, value } of formatOf(timeZone).formatToParts(atMs)) part[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part
  return Date.UTC(year, month - 1, day, hour, minute, second) + mod(atMs, 1000)
}

/**
 * The instant at which a clock in `timeZone` shows `wallMs`. Where clocks go back and show it twice, the first of the
 * two. Where they go forward and never show it, the first instant after the gap, and `inGap` says so.
 *
 * @throws RangeError for a name that is no zone.
 */
export function instantOfWallClock(wallMs: WallMs, timeZone: string): { atMs: number; inGap: boolean } {
  const offsetAt = (atMs: number): number => wallClockAt(atMs, timeZone) - atMs
  // No zone is further than a day from UTC, and none changes its clocks twice within two days.
  const [before, after] = [wallMs - dayMs, wallMs + dayMs]
  const candidates = [offsetAt(before), offsetAt(after)]
    .map((offset) => wallMs - offset)
    .sort((a, b) => a - b)
  const atMs = candidates.find((candidate) => wallClockAt(candidate, timeZone) === wallMs)
  if (atMs !== undefined) return { atMs, inGap: false }
  return { atMs: changeBetween(before, after, offsetAt), inGap: true }
}

/** `2027-03-28T02:30`, with seconds where there are any. */
export function wallClockText(wallMs: WallMs): string {
  const text = new Date(wallMs).toISOString().slice(0, 19)
  return text.endsWith(':00') ? text.slice(0, 16) : text
}

const dayMs = 86_400_000
const namePattern = /^[A-Za-z][A-Za-z0-9_+\-/]{0,99}$/

/** The first instant with the offset of `toMs`, given that `fromMs` has another. */
function changeBetween(fromMs: number, toMs: number, offsetAt: (atMs: number) => number): number {
  const target = offsetAt(toMs)
  let [low, high] = [fromMs, toMs]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(middle) === target) high = middle
    else low = middle
  }
  return high
}

function mod(value: number, by: number): number {
  return ((value % by) + by) % by
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Making a format costs far more than using it. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    formats.set(timeZone, format)
  }
  return format
}
