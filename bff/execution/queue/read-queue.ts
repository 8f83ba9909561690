import type { QueueResponse } from '../../../shared/contracts/waiting.ts'
import { jobState } from '../../../shared/job.ts'
import type { WaitReason } from '../../../shared/wait-reason.ts'
import { readOwnQueue } from '../../store/views/read-queue.ts'
import { waitReasonOfRow } from '../../store/views/wait-reason-of-row.ts'
import type { Execution, Scope } from '../context.ts'
import { readQueueNow } from './join-reasons.ts'

/** One's own waiting jobs: which place each has among all that compete in the org, and why it does not run yet. */
export async function readQueue(execution: Execution, scope: Scope): Promise<QueueResponse> {
  const now = execution.clock.now()
  const { running, reasonOf } = await readQueueNow(execution, scope.orgId, now)
  const rows = await readOwnQueue(execution.database, scope, now)
  return {
    running,
    places: execution.settings.orgConcurrency,
    waiting: rows.map((row) => {
      const state = jobState.parse(row.state)
      const reason = reasonOf({ state, wait_reason: waitReasonOfRow(row), provider: row.provider })
      const eta = etaOf(reason)
      return { prompt_id: row.prompt_id, position: row.position, reason, ...(eta && { eta }) }
    }),
  }
}

/** When it may begin at the earliest, where something has a time; how long a line takes nobody knows. */
function etaOf(reason: WaitReason | null): string | undefined {
  switch (reason?.code) {
    case 'scheduled':
    case 'backoff':
      return reason.at
    case 'rate_limit':
      return reason.until
    default:
      return undefined
  }
}
