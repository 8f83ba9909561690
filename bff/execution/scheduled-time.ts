import type { SubmitOptions } from '../../shared/submit.ts'
import { invalidField } from '../domain/errors.ts'
import { type PlannedTime, readPlannedTime } from '../domain/planned-time.ts'

/** Clocks that disagree by less than this still agree on what is past. */
const graceMs = 60_000

/**
 * The time that a person gives for a prompt, read by the rules of `readPlannedTime`: with an offset, or with an IANA
 * zone, `2026-12-01T09:00[Asia/Tokyo]`. A local time that daylight saving leaves out is the first instant after the gap
 * (and `timeInGap` says so), one that occurs twice is the first of the two. A minute in the past is forgiven.
 *
 * @param field what a refusal names.
 * @throws DomainError `invalid_request` naming `field`: not such a time, no known zone, past, or beyond the year 9999.
 */
export function scheduledTimeOf(text: string, now: Date, field = 'options.scheduled_for'): PlannedTime {
  const planned = readTime(text, field)
  refusePast(planned, now, field)
  return planned
}

/**
 * When a submitted prompt is to run at the earliest; null for at once. The past is not looked at: a request that is
 * repeated after its time gets the answer it got before. Who stores a new one calls `refusePast`.
 *
 * @throws DomainError `invalid_request` naming `options.scheduled_for`.
 */
export function scheduledTime(options: SubmitOptions): PlannedTime | null {
  return options.scheduled_for === undefined ? null : readTime(options.scheduled_for, 'options.scheduled_for')
}

/** @throws DomainError `invalid_request` naming `field` for a time more than a minute before `now`. */
export function refusePast(planned: PlannedTime | null, now: Date, field = 'options.scheduled_for'): void {
  if (planned === null || planned.at.getTime() >= now.getTime() - graceMs) return
  throw invalidField(field, `lies in the past; it is ${now.toISOString()} now`)
}

function readTime(text: string, field: string): PlannedTime {
  const planned = readPlannedTime(text)
  if (typeof planned === 'string') throw invalidField(field, planned)
  return planned
}
