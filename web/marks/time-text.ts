/** Where and when a time is read: words such as *today* depend on both. */
export type Reading = { readonly timeZone: string; readonly nowMs: number }

/** Keeps a figure and its unit on one line. */
export const noBreakSpace = '\u00a0'

/** `14:22` today, `Wed 21:10` within six days of it, else `3 March`, with the year where it is another. */
export function whenText(instantMs: number, { timeZone, nowMs }: Reading): string {
  const then = localParts(instantMs, timeZone)
  const now = localParts(nowMs, timeZone)
  const daysApart = Math.abs(then.day - now.day)
  if (daysApart === 0) return then.clock
  if (daysApart < 7) return `${then.weekday}${noBreakSpace}${then.clock}`
  const date = `${then.date}${noBreakSpace}${then.month}`
  return then.year === now.year ? date : `${date}${noBreakSpace}${then.year}`
}

/** Always the clock: `14:22`, or `14:22:06` where seconds matter. */
export function clockText(instantMs: number, timeZone: string, seconds = false): string {
  const { clock, second } = localParts(instantMs, timeZone)
  return seconds ? `${clock}:${second}` : clock
}

/** `3 March`, with the year where it is not this one: for *since 10 March*. */
export function dateText(instantMs: number, { timeZone, nowMs }: Reading): string {
  const then = localParts(instantMs, timeZone)
  const date = `${then.date}${noBreakSpace}${then.month}`
  return then.year === localParts(nowMs, timeZone).year ? date : `${date}${noBreakSpace}${then.year}`
}

/** For titles, beside every local time: `2026-03-12 13:04:05 UTC`. */
export function utcText(instantMs: number): string {
  return `${new Date(instantMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/**
 * The label of a band: `Today · Thu 12 Mar`, `Yesterday · Wed 11 Mar`, `Tue 10 Mar`; another year is named.
 * `day` counts days from 1970-01-01 in the reader's zone, as bands do.
 */
export function bandText(day: number, { timeZone, nowMs }: Reading): { head: string; rest: string | null } {
  const today = localParts(nowMs, timeZone)
  const then = localParts(day * dayMs, 'UTC')
  const short = [then.weekday, then.date, then.month.slice(0, 3)].join(noBreakSpace)
  const date = then.year === today.year ? short : `${short}${noBreakSpace}${then.year}`
  if (day === today.day) return { head: 'Today', rest: date }
  if (day === today.day - 1) return { head: 'Yesterday', rest: date }
  return { head: date, rest: null }
}

/** `38 s`, `9 min`, `2 h 14 min`, `3 d 4 h`: whole units, the two largest, never a zero one. */
export function durationText(durationMs: number): string {
  const seconds = Math.max(0, Math.floor(durationMs / 1000))
  if (seconds < 60) return units([seconds, 's'])
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return units([minutes, 'min'])
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return units([hours, 'h'], [minutes % 60, 'min'])
  return units([Math.floor(hours / 24), 'd'], [hours % 24, 'h'])
}

/** As `durationText`, but `9 ms` below a tenth of a second and `1.1 s` below ten: for attempts in a trace. */
export function fineDurationText(durationMs: number): string {
  if (durationMs < 100) return units([Math.max(0, Math.round(durationMs)), 'ms'])
  if (durationMs < 9_950) return `${(durationMs / 1000).toFixed(1)}${noBreakSpace}s`
  return durationText(durationMs)
}

/** `about 40 s`: rounded up to what can be promised, tens of seconds or whole minutes. */
export function aboutText(durationMs: number): string {
  const seconds = Math.max(1, Math.ceil(durationMs / 1000))
  const rounded =
    seconds < 10 ? seconds : seconds <= 60 ? Math.ceil(seconds / 10) * 10 : Math.ceil(seconds / 60) * 60
  return `about${noBreakSpace}${durationText(rounded * 1000)}`
}

/** `1st`, `2nd`, `3rd`, `11th`. */
export function ordinalText(place: number): string {
  const ending = ordinalEndings[ordinalRule.select(place)] ?? 'th'
  return `${place.toLocaleString('en')}${ending}`
}

/** `1,204`, as people write figures in English. */
export function countText(count: number): string {
  return count.toLocaleString('en')
}

const dayMs = 86_400_000
const ordinalRule = new Intl.PluralRules('en', { type: 'ordinal' })
const ordinalEndings: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd' }

function units(...parts: readonly (readonly [number, string])[]): string {
  const shown = parts.filter(([figure], index) => index === 0 || figure > 0)
  return shown.map(([figure, unit]) => `${figure}${noBreakSpace}${unit}`).join(' ')
}

type LocalParts = {
  readonly day: number
  readonly clock: string
  readonly second: string
  readonly weekday: string
  readonly date: string
  readonly month: string
  readonly year: number
}

function localParts(instantMs: number, timeZone: string): LocalParts {
  const part: Record<string, string> = {}
  for (const { type, value } of formatOf(timeZone).formatToParts(instantMs)) part[type] = value
  const year = Number(part.year)
  const month = part.month ?? ''
  const date = part.day ?? ''
  return {
    day: Date.UTC(year, months.indexOf(month), Number(date)) / dayMs,
    clock: `${part.hour}:${part.minute}`,
    second: part.second ?? '00',
    weekday: part.weekday ?? '',
    date,
    month,
    year,
  }
}

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

const formats = new Map<string, Intl.DateTimeFormat>()

/** Making a format costs far more than using it. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      weekday: 'short',
      year: 'numeric',
      month: 'long',
      day: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
    formats.set(timeZone, format)
  }
  return format
}
