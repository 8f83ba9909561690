import type { Command } from 'commander'
import type { MetricsQuery, OrgMetricsAnswer, QueueMetricsAnswer } from '../../http/admin-queue-contract.ts'
import { withReach } from '../reach/with-reach.ts'
import { type Column, print, printJson, printTable, visible } from '../terminal/output.ts'
import { addVerb, orgOption, sinceOption } from '../terminal/verb.ts'

export function addQueueMetrics(program: Command): void {
  addVerb(program, 'queue-metrics', 'Count what waits, runs and ended, how long it took, and why it failed.')
    .addOption(orgOption())
    .addOption(sinceOption('count what ended at this time or later (a day ago)'))
    .action(queueMetrics)
}

async function queueMetrics({ json, ...query }: MetricsQuery & { json?: boolean }): Promise<void> {
  const metrics = await withReach('runs mission queue-metrics', (reach) => reach.queueMetrics(query))
  if (json) printJson(metrics)
  else printMetrics(metrics)
}

function printMetrics({ as_of, since, all, orgs, errors, oldest_waiting, gates }: QueueMetricsAnswer): void {
  print(`As of ${as_of}; ended since ${since}.`)
  print('')
  const rows = [...orgs, all]
  printTable(countColumns, rows, '')
  print('')
  printTable(timeColumns, rows, '')
  print('')
  printTable(errorColumns, errors, 'No failures.')
  print('')
  print(
    oldest_waiting
      ? `Waiting longest: job ${oldest_waiting.job_id}, for ${duration(oldest_waiting.waiting_ms)}.`
      : 'Nothing is ready and waiting.',
  )
  for (const { provider, closed_until, probing } of gates)
    print(
      `${visible(provider)} takes no calls until ${closed_until}${probing ? '; one job is trying it' : ''}.`,
    )
}

const org: Column<OrgMetricsAnswer> = {
  heading: 'ORG',
  of: ({ org_id, org_name }) => (org_id === null ? 'all' : (org_name ?? org_id)),
}

const countColumns: Column<OrgMetricsAnswer>[] = [
  org,
  { heading: 'QUEUED', of: ({ queued }) => queued },
  { heading: 'RUNNING', of: ({ running }) => running },
  { heading: 'PERMITS', of: ({ permits }) => permits },
  { heading: 'ENDED', of: ({ finished }) => finished },
  { heading: 'SUCCEEDED', of: ({ succeeded }) => succeeded },
  { heading: 'FAILED', of: ({ failed }) => failed },
  { heading: 'CANCELLED', of: ({ cancelled }) => cancelled },
  { heading: 'FAILURE RATE', of: ({ failure_rate }) => percent(failure_rate) },
  { heading: 'ATTEMPTS', of: ({ attempts_mean, attempts_max }) => attempts(attempts_mean, attempts_max) },
]

const timeColumns: Column<OrgMetricsAnswer>[] = [
  org,
  { heading: 'WAITED p50 / p95 / p99', of: ({ queued_to_started }) => latencyText(queued_to_started) },
  { heading: 'RAN p50 / p95 / p99', of: ({ started_to_finished }) => latencyText(started_to_finished) },
  { heading: 'WHOLE p50 / p95 / p99', of: ({ whole }) => latencyText(whole) },
]

const errorColumns: Column<QueueMetricsAnswer['errors'][number]>[] = [
  { heading: 'FAILED BY', of: ({ error_kind }) => error_kind },
  { heading: 'JOBS', of: ({ jobs }) => jobs },
  { heading: 'OF ENDED', of: ({ rate }) => percent(rate) },
]

function percent(rate: number | null): string | null {
  return rate === null ? null : `${(rate * 100).toFixed(1)} %`
}

function attempts(mean: number | null, max: number | null): string | null {
  return mean === null || max === null ? null : `${mean.toFixed(1)}, at most ${max}`
}

function latencyText(latency: OrgMetricsAnswer['whole']): string | null {
  return latency && [latency.p50, latency.p95, latency.p99].map(duration).join(' / ')
}

function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  return ms < 3_600_000 ? `${(ms / 60_000).toFixed(1)} min` : `${(ms / 3_600_000).toFixed(1)} h`
}
