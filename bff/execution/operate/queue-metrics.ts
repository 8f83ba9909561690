import {
  type ClosedGate,
  closedGates,
  countEnded,
  countFailures,
  countOpen,
  type EndedCounts,
  type FailureCount,
  type MetricsFilter,
  oldestWaiting,
  type Percentiles,
} from '../../store/jobs/queue-metrics.ts'
import type { Execution } from '../context.ts'

const sinceMsDefault = 24 * 60 * 60_000

/** In ms; null where nothing was measured. */
export interface Latency {
  p50: number
  p95: number
  p99: number
}

/** One org, or all of them together. */
export interface OrgMetrics {
  org_id: string | null
  org_name: string | null
  queued: number
  running: number
  /** Held by jobs that are ready or run. */
  permits: number
  finished: number
  succeeded: number
  failed: number
  cancelled: number
  /** Of those that ended since: replaced by a newer job. */
  superseded: number
  /** Failed by finished; null where nothing finished. */
  failure_rate: number | null
  attempts_mean: number | null
  attempts_max: number | null
  queued_to_started: Latency | null
  started_to_finished: Latency | null
  whole: Latency | null
}

export interface QueueMetrics {
  as_of: string
  /** What has finished is counted from then on. */
  since: string
  all: OrgMetrics
  orgs: OrgMetrics[]
  errors: (FailureCount & { rate: number })[]
  oldest_waiting: {
    job_id: string
    prompt_id: string
    org_id: string
    since: string
    waiting_ms: number
  } | null
  gates: (Omit<ClosedGate, 'closed_until'> & { closed_until: string })[]
}

/** How the queue stands, as of one moment: what waits and runs now, and how what ended since then fared. */
export async function queueMetrics(
  { database, clock }: Pick<Execution, 'database' | 'clock'>,
  { orgId, since }: { orgId?: string; since?: Date } = {},
): Promise<QueueMetrics> {
  const now = clock.now()
  const filter: MetricsFilter = {
    since: since ?? new Date(now.getTime() - sinceMsDefault),
    now,
    ...(orgId !== undefined && { orgId }),
  }
  const read = await database.transaction(
    async (tx) => ({
      open: await countOpen(tx, filter),
      ended: await countEnded(tx, filter),
      failures: await countFailures(tx, filter),
      oldest: await oldestWaiting(tx, filter),
      gates: await closedGates(tx),
    }),
    { isolation: 'repeatable read' },
  )
  const orgs = new Map<string, OrgMetrics>()
  const orgOf = (id: string, name: string | null): OrgMetrics => {
    const known = orgs.get(id) ?? { ...nothing, org_id: id, org_name: name }
    orgs.set(id, known)
    return known
  }
  const all: OrgMetrics = { ...nothing }
  for (const { org_id, org_name, queued, running, permits } of read.open) {
    Object.assign(orgOf(org_id, org_name), { queued, running, permits })
    all.queued += queued
    all.running += running
    all.permits += permits
  }
  for (const row of read.ended)
    Object.assign(row.org_id === null ? all : orgOf(row.org_id, row.org_name), endedOf(row))
  const { oldest } = read
  return {
    as_of: now.toISOString(),
    since: filter.since.toISOString(),
    all,
    orgs: [...orgs.values()],
    errors: read.failures.map((row) => ({ ...row, rate: rateOf(row.jobs, all.finished) ?? 0 })),
    oldest_waiting: oldest && {
      ...oldest,
      since: oldest.since.toISOString(),
      waiting_ms: now.getTime() - oldest.since.getTime(),
    },
    gates: read.gates.map((gate) => ({ ...gate, closed_until: gate.closed_until.toISOString() })),
  }
}

const nothing: OrgMetrics = {
  org_id: null,
  org_name: null,
  queued: 0,
  running: 0,
  permits: 0,
  finished: 0,
  succeeded: 0,
  failed: 0,
  cancelled: 0,
  superseded: 0,
  failure_rate: null,
  attempts_mean: null,
  attempts_max: null,
  queued_to_started: null,
  started_to_finished: null,
  whole: null,
}

function endedOf(row: EndedCounts): Partial<OrgMetrics> {
  const { ended, succeeded, failed, cancelled, superseded, attempts_mean, attempts_max } = row
  return {
    finished: ended,
    succeeded,
    failed,
    cancelled,
    superseded,
    failure_rate: rateOf(failed, ended),
    attempts_mean,
    attempts_max,
    queued_to_started: latencyOf(row.queued_to_started),
    started_to_finished: latencyOf(row.started_to_finished),
    whole: latencyOf(row.whole),
  }
}

function rateOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000
}

function latencyOf(percentiles: Percentiles | null): Latency | null {
  if (percentiles === null) return null
  const [p50, p95, p99] = percentiles
  return { p50, p95, p99 }
}
