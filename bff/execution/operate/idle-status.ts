import { type BusyJob, readBusyJobs, readWakeUps, type WakeUp } from '../../store/jobs/idle-facts.ts'
import type { Execution } from '../context.ts'

const blockersMax = 1_000

export interface DutyStatus {
  name: string
  /** Null where only the process that runs the duty knows. */
  last_pass: string | null
  /** When it will have something to do; null when nothing waits for a time. */
  next_deadline: string | null
  /** How many rows wait for it now. */
  pending: number
}

export interface IdleStatus {
  /** Nothing runs and nothing is due. No permission to suspend the host: that would also need the wake-ups kept. */
  quiet: boolean
  duties: DutyStatus[]
  /** What suspending the host would break or delay; 1,000 at most. */
  blockers: (Omit<BusyJob, 'since'> & { since: string })[]
  /** The earliest time of each kind at which somebody has to be awake. */
  wakeups: { kind: WakeUp['kind']; at: string }[]
}

/** Which times each duty looks at. The end of a lease is no wake-up: the job that runs is a blocker already. */
const duties: readonly { name: string; times: readonly WakeUp['kind'][] }[] = [
  { name: 'claim', times: ['delayed-job', 'gate'] },
  { name: 'reclaim', times: ['lease-end'] },
  { name: 'schedule', times: ['schedule'] },
  { name: 'external-reconciliation', times: ['external-poll'] },
  { name: 'status-delivery', times: ['delivery'] },
]

/** What keeps this installation busy and what will wake it, as the rows say it, whichever process asks. */
export async function idleStatus({
  database,
  clock,
  settings,
}: Pick<Execution, 'database' | 'clock' | 'settings'>): Promise<IdleStatus> {
  const now = clock.now()
  const { busy, times } = await database.transaction(
    async (tx) => ({
      busy: await readBusyJobs(tx, now, blockersMax),
      times: await readWakeUps(tx, now, settings.deadlines.leaseMs),
    }),
    { isolation: 'repeatable read' },
  )
  const ready = busy.filter(({ kind }) => kind === 'queued-job').length
  const statuses = duties.map(({ name, times: kinds }): DutyStatus => {
    const own = times.filter(({ kind }) => kinds.includes(kind))
    return {
      name,
      last_pass: null,
      next_deadline: own[0]?.at.toISOString() ?? null,
      pending: own.reduce((sum, { due }) => sum + due, name === 'claim' ? ready : 0),
    }
  })
  return {
    quiet: busy.length === 0 && statuses.every(({ pending }) => pending === 0),
    duties: statuses,
    blockers: busy.map((job) => ({ ...job, since: job.since.toISOString() })),
    wakeups: times
      .filter(({ kind }) => kind !== 'lease-end')
      .map(({ kind, at }) => ({ kind, at: at.toISOString() })),
  }
}
