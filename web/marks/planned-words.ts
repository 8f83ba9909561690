import type { PromptView } from '../../shared/prompt-view.ts'
import { clockText, durationText, noBreakSpace, type Reading, whenText } from './time-text.ts'

/** What a prompt knows of the time it was planned for. */
export type Planned = Pick<PromptView, 'time_zone' | 'time_in_gap'>

/**
 * `Fri 01:00 (09:00 Asia/Tokyo)`: a planned time as the reader's clock shows it, and as it was given, where that is
 * another zone. A local time that clocks leave out is named, since another one stands in for it.
 */
export function plannedText(instantMs: number, planned: Planned, reading: Reading): string {
  const own = momentText(instantMs, reading)
  const zone = otherZone(planned.time_zone, reading.timeZone)
  const given =
    zone === null ? '' : ` (${momentText(instantMs, { ...reading, timeZone: zone })}${noBreakSpace}${zone})`
  const gap = planned.time_in_gap === null ? '' : `, as clocks skip ${planned.time_in_gap.slice(11)} that day`
  return `${own}${given}${gap}`
}

/** *ran 3 h late, planned for 09:00*; null where it was in time. */
export function latenessText(view: PromptView, reading: Reading): string | null {
  if (view.late_ms === null || view.scheduled_for === null) return null
  const verb = view.state === 'succeeded' || view.state === 'failed' ? 'ran' : 'began'
  const planned = plannedText(Date.parse(view.scheduled_for), view, reading)
  return `${verb} ${durationText(view.late_ms)} late, planned for ${planned}`
}

/** With the clock always: a date alone is too little for what is still to come. */
function momentText(instantMs: number, reading: Reading): string {
  const when = whenText(instantMs, reading)
  const clock = clockText(instantMs, reading.timeZone)
  return when.endsWith(clock) ? when : `${when}${noBreakSpace}${clock}`
}

/** Null for the reader's own zone, and for one that this browser does not know. */
function otherZone(zone: string | null, own: string): string | null {
  if (zone === null || zone === own) return null
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return zone
  } catch {
    return null
  }
}
