import type { WaitReason } from '../../../shared/wait-reason.ts'

/** What a job's row says of why it waits. */
export interface WaitingRow {
  state: string
  error_kind: string | null
  available_at: Date
  scheduled_for: Date | null
  rate_limited_since: Date | null
  blocked_by: string | null
  hold_reason: string | null
  claimed_at: Date | null
  provider: string | null
}

/** Only what the row itself says, and nothing of the present moment: two readings of one revision must agree. */
export function waitReasonOfRow(row: WaitingRow): WaitReason | null {
  if (row.state !== 'queued') return null
  const availableAt = row.available_at.toISOString()
  if (row.blocked_by && (row.hold_reason === 'failed' || row.hold_reason === 'cancelled')) {
    return { code: 'held', prompt_id: row.blocked_by, cause: row.hold_reason }
  }
  if (row.blocked_by) return { code: 'after', prompt_id: row.blocked_by }
  if (isScheduled(row)) return { code: 'scheduled', at: availableAt }
  // A claim clears the error and keeps since when it waits: afterwards the limit is no reason any more.
  if (row.rate_limited_since && row.error_kind === 'rate_limit') {
    return { code: 'rate_limit', provider: row.provider ?? 'unknown', until: availableAt }
  }
  if (row.error_kind && row.error_kind !== 'worker_crash') return { code: 'backoff', at: availableAt }
  return { code: 'in_line' }
}

/** Its time is what it waits for: no claim has come at or after it, and no failure has moved it further away. */
function isScheduled({ scheduled_for: at, available_at, claimed_at }: WaitingRow): boolean {
  if (at === null || available_at.getTime() > at.getTime()) return false
  return claimed_at === null || claimed_at.getTime() < at.getTime()
}
