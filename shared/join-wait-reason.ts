import type { JobState } from './job.ts'
import type { WaitReason } from './wait-reason.ts'

/** What no prompt's row knows: until when its provider takes no calls, and whether its org's places are taken. */
export interface QueueFactsOfPrompt {
  /** The provider that is to serve it. */
  provider: string | null | undefined
  /** ISO 8601; undefined while its gate is open. */
  closedUntil: string | undefined
  orgLimit: boolean
}

/**
 * Why a prompt really waits: its row says *in line*, gates and limits say why the line does not move. A gate whose time
 * has come is being tried, and is no reason any more.
 */
export function joinWaitReason(
  view: { state: JobState; wait_reason: WaitReason | null },
  { provider, closedUntil, orgLimit }: QueueFactsOfPrompt,
  nowMs: number,
): WaitReason | null {
  const reason = view.wait_reason
  if (view.state !== 'queued' || reason?.code !== 'in_line') return reason
  if (provider && closedUntil !== undefined && Date.parse(closedUntil) > nowMs) {
    return { code: 'rate_limit', provider, until: closedUntil }
  }
  return orgLimit ? { code: 'org_limit' } : reason
}
