import { joinWaitReason } from '../../../shared/join-wait-reason.ts'
import type { PromptView } from '../../../shared/prompt-view.ts'
import type { WaitReason } from '../../../shared/wait-reason.ts'
import { readGates } from '../../store/jobs/read-gates.ts'
import { readOrgLoads } from '../../store/views/read-queue.ts'
import type { Execution } from '../context.ts'

type Waiting = Pick<PromptView, 'state' | 'wait_reason' | 'provider'>

/** How the queue of one org stands, as far as it explains why a prompt waits. */
export interface QueueNow {
  running: number
  reasonOf(waiting: Waiting): WaitReason | null
}

export async function readQueueNow(execution: Execution, orgId: string, now: Date): Promise<QueueNow> {
  const gates = await readGates(execution.database)
  const [load] = await readOrgLoads(execution.database, [orgId])
  const closedUntil = new Map(gates.map((gate) => [gate.provider, gate.closedUntil.toISOString()]))
  const running = load?.running ?? 0
  const orgLimit = running >= execution.settings.orgConcurrency
  return {
    running,
    reasonOf(waiting) {
      const { provider } = waiting
      const until = provider === null ? undefined : closedUntil.get(provider)
      return joinWaitReason(waiting, { provider, closedUntil: until, orgLimit }, now.getTime())
    },
  }
}

/** A view with the reason that gates and limits give, for who reads one prompt and follows no feed. */
export async function withJoinedReason(execution: Execution, orgId: string, view: PromptView) {
  if (view.wait_reason?.code !== 'in_line') return view
  const { reasonOf } = await readQueueNow(execution, orgId, execution.clock.now())
  return { ...view, wait_reason: reasonOf(view) }
}
