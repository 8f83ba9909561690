import * as z from 'zod/mini'
import { instant, uuid } from '../../shared/ids.ts'
import { errorKind } from '../../shared/job.ts'

/**
 * | call | query | answer |
 * |---|---|---|
 * | `GET /queue-metrics` | `metricsQuery` | `QueueMetricsAnswer` |
 * | `GET /idle-status` | – | `IdleStatusAnswer` |
 */
export const metricsQuery = z.strictObject({ org: z.optional(uuid), since: z.optional(instant) })
export type MetricsQuery = z.infer<typeof metricsQuery>

/** In ms; null where nothing was measured. */
const latency = z.nullable(z.object({ p50: z.number(), p95: z.number(), p99: z.number() }))

/** One org, or all that were asked for: then both names are null. `permits` are held by jobs that are ready or run. */
const orgMetrics = z.object({
  org_id: z.nullable(uuid),
  org_name: z.nullable(z.string()),
  queued: z.number(),
  running: z.number(),
  permits: z.number(),
  finished: z.number(),
  succeeded: z.number(),
  failed: z.number(),
  cancelled: z.number(),
  superseded: z.number(),
  failure_rate: z.nullable(z.number()),
  attempts_mean: z.nullable(z.number()),
  attempts_max: z.nullable(z.number()),
  queued_to_started: latency,
  started_to_finished: latency,
  whole: latency,
})
export type OrgMetricsAnswer = z.infer<typeof orgMetrics>

/** What has finished is counted from `since` on; the rest is as of `as_of`. `rate` is of what finished. */
export const queueMetricsAnswer = z.object({
  as_of: instant,
  since: instant,
  all: orgMetrics,
  orgs: z.array(orgMetrics),
  errors: z.array(z.object({ error_kind: errorKind, jobs: z.number(), rate: z.number() })),
  oldest_waiting: z.nullable(
    z.object({ job_id: uuid, prompt_id: uuid, org_id: uuid, since: instant, waiting_ms: z.number() }),
  ),
  gates: z.array(z.object({ provider: z.string(), closed_until: instant, probing: z.boolean() })),
})
export type QueueMetricsAnswer = z.infer<typeof queueMetricsAnswer>

/** Blockers and wake-ups say more of themselves beside their kind. */
export const idleStatusAnswer = z.object({
  quiet: z.boolean(),
  duties: z.array(
    z.object({
      name: z.string(),
      last_pass: z.nullable(instant),
      next_deadline: z.nullable(instant),
      pending: z.number(),
    }),
  ),
  blockers: z.array(z.looseObject({ kind: z.string() })),
  wakeups: z.array(z.looseObject({ kind: z.string(), at: instant })),
})
export type IdleStatusAnswer = z.infer<typeof idleStatusAnswer>
