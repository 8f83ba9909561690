import type { PromptView } from '../../../shared/prompt-view.ts'
import { readPlannedTime } from '../../domain/planned-time.ts'

/** What a job's row says of the time it was planned for. */
export interface PlannedRow {
  scheduled_for: Date | null
  time_zone: string | null
  schedule_id: string | null
  /** `options.scheduled_for` as it was asked for. */
  asked_time: string | null
  /** When a run first began since that time; null before. */
  first_started_at: Date | null
}

/** Clocks of machines disagree, and a place in line may take a while: below this nobody would call it late. */
const lateMsMin = 60_000

export function plannedFactsOfRow(
  row: PlannedRow,
): Pick<PromptView, 'scheduled_for' | 'time_zone' | 'time_in_gap' | 'late_ms' | 'schedule_id'> {
  const { scheduled_for: at, first_started_at: startedAt } = row
  const lateMs = at && startedAt ? startedAt.getTime() - at.getTime() : 0
  return {
    scheduled_for: at?.toISOString() ?? null,
    time_zone: at && row.time_zone,
    time_in_gap: timeInGap(row),
    late_ms: lateMs > lateMsMin ? lateMs : null,
    schedule_id: row.schedule_id,
  }
}

/** Read anew from what was asked for, as long as that is what is planned: it may have been moved since. */
function timeInGap({ asked_time, scheduled_for, time_zone }: PlannedRow): string | null {
  if (asked_time === null || time_zone === null) return null
  const asked = readPlannedTime(asked_time)
  if (typeof asked === 'string' || asked.at.getTime() !== scheduled_for?.getTime()) return null
  return asked.timeInGap
}
