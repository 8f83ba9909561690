import { Cron } from 'croner'
import { invalidField } from '../../domain/errors.ts'
import { timeZoneNamed } from '../../domain/wall-clock.ts'

/** A cron expression in a time zone, known to be one and to come. */
export interface Recurrence {
  cron: string
  /** In its usual spelling. */
  timeZone: string
  /** The next time strictly after `after`; null when none comes any more, by the year 9999. */
  next(after: Date): Date | null
}

/** Times are counted up to here: an expression for every minute has half a million a year. */
export const missedMax = 1_000

/**
 * Five fields (minute, hour, day of month, month, day of week) as croner reads them: lists, ranges, steps, names of
 * months and days, `L`, `W` and `#`. Days of month and of week together mean either, as in cron.
 *
 * Daylight saving: an expression with fixed hours and minutes (`30 2 * * *`, `0 9,17 * * *`) comes once on every day it
 * names: where clocks leave its time out, at the first instant after the gap; where they show it twice, at the first of
 * the two. One that repeats by wildcard or step (`0 * * * *`) follows the hours as they pass: none in the gap, and both
 * where clocks go back.
 *
 * @throws DomainError `invalid_request` naming `time_zone`, or `cron` for nonsense, for another number of fields, and for
 * what comes never again after `now`, such as 30 February.
 */
export function recurrenceOf(timing: { cron: string; time_zone: string }, now: Date): Recurrence {
  const timeZone = timeZoneNamed(timing.time_zone)
  if (timeZone === null) throw invalidField('time_zone', 'names no IANA time zone, such as Asia/Tokyo')
  const fields = timing.cron.trim().split(/\s+/)
  if (fields.length !== 5) {
    throw invalidField('cron', 'must have five fields: minute, hour, day of month, month, day of week')
  }
  const recurrence = readCron(fields.join(' '), timeZone)
  if (recurrence.next(now) === null) throw invalidField('cron', 'names a time that never comes')
  return recurrence
}

/**
 * Where a recurrence goes on after its planned time was due: the next time strictly after `now`, and how many more
 * planned times have passed by (`missedMax` means that many or more). They get no run of their own: what was missed
 * runs once.
 */
export function goOn(
  recurrence: Recurrence,
  planned: Date,
  now: Date,
): { next: Date | null; missed: number } {
  let missed = 0
  for (let at = recurrence.next(planned); ; at = recurrence.next(at)) {
    if (at === null || at > now) return { next: at, missed }
    missed += 1
    if (missed === missedMax) return { next: recurrence.next(now), missed }
  }
}

function readCron(cron: string, timeZone: string): Recurrence {
  try {
    const times = new Cron(cron, {
      timezone: timeZone,
      mode: '5-part',
      fixedTimeRule: 'no-wildcard',
      paused: true,
    })
    return { cron, timeZone, next: (after) => times.nextRun(after) }
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error
    throw invalidField('cron', `is not a cron expression: ${plain(error.message)}`)
  }
}

/** The library's words without the names of its classes. */
function plain(message: string): string {
  return message.replace(/^Cron\w*: /, '').slice(0, 200)
}
