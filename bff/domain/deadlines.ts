import type { Budget } from '../../shared/job.ts'

const minuteMs = 60_000

/** Every deadline of DESIGN §5 in ms; settings override them and tests scale them. */
export interface Deadlines {
  heartbeatMs: number
  leaseMs: number
  silenceMs: number
  /** Overrides the ceiling of every budget; null: the budget's own. */
  ceilingMs: number | null
  firstHealthMs: number
}

export const defaultDeadlines: Deadlines = {
  heartbeatMs: 30_000,
  leaseMs: 5 * minuteMs,
  silenceMs: 180_000,
  ceilingMs: null,
  firstHealthMs: minuteMs,
}

/** After this many crashes of the process during one job it is failed, however many attempts are left. */
export const crashesMax = 3

const ceilingByBudget: Readonly<Record<Budget, number>> = {
  quick: 15 * minuteMs,
  unknown: 15 * minuteMs,
  medium: 45 * minuteMs,
  long_compute: 45 * minuteMs,
}

const reviewByBudget: Readonly<Record<Budget, number>> = {
  quick: 2 * minuteMs,
  unknown: 5 * minuteMs,
  medium: 30 * minuteMs,
  long_compute: 30 * minuteMs,
}

/** How long an attempt may run altogether, in ms; its holder ends it then, as `timeout`. */
export function ceilingMs(budget: Budget, deadlines: Deadlines): number {
  return deadlines.ceilingMs ?? ceilingByBudget[budget]
}

/** When a running attempt is flagged for a soft review (keep waiting or stop), in ms after its start. */
export function softReviewMs(budget: Budget): number {
  return reviewByBudget[budget]
}
