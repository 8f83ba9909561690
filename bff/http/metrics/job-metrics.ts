import { Counter, Histogram, type Registry } from 'prom-client'
import type { Execution } from '../../execution/context.ts'

const none = 'none'

/** From a commit's few ms to an hour of waiting or running. */
const secondsBuckets = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3600]

/**
 * What this process did to jobs. Nobody's id is a label: neither prompts nor people nor orgs, whose number has no
 * bound; a latency by org is `mission queue-metrics`, which reads the ledger.
 */
export function registerJobMetrics(registry: Registry, { watch }: Execution): void {
  const registers = [registry]
  const transitions = new Counter({
    name: 'mission_job_transitions_total',
    help: 'Moves of jobs that this process committed, by state before and after, and kind of failure.',
    labelNames: ['from', 'to', 'error_kind'],
    registers,
  })
  const waited = new Histogram({
    name: 'mission_job_wait_seconds',
    help: 'How long a job had been ready and waiting when this process claimed it.',
    buckets: secondsBuckets,
    registers,
  })
  const ran = new Histogram({
    name: 'mission_job_run_seconds',
    help: 'How long a run took that this process settled, by the state it led to.',
    labelNames: ['to'],
    buckets: secondsBuckets,
    registers,
  })
  const firstToken = new Histogram({
    name: 'mission_time_to_first_token_seconds',
    help: 'From the start of a run to the first text of its answer.',
    labelNames: ['provider'],
    buckets: secondsBuckets,
    registers,
  })
  const calls = new Counter({
    name: 'mission_provider_calls_total',
    help: 'Calls to a provider that ended, by outcome: answered, a kind of failure, or what ended them here.',
    labelNames: ['provider', 'outcome'],
    registers,
  })

  watch.onMove(({ from, to, errorKind, queuedMs, runMs, firstTokenMs, provider }) => {
    // Followers that are held or released stay where they are.
    if (from !== to) transitions.inc({ from: from ?? none, to, error_kind: errorKind ?? none })
    if (to === 'running' && queuedMs !== null) waited.observe(queuedMs / 1_000)
    if (from !== 'running') return
    if (runMs !== null) ran.observe({ to }, runMs / 1_000)
    if (firstTokenMs !== null) firstToken.observe({ provider: provider ?? none }, firstTokenMs / 1_000)
  })
  watch.onRun(({ call }) => {
    if (call) calls.inc({ provider: call.provider, outcome: call.outcome })
  })
}
