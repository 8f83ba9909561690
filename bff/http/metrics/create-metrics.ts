import type { MiddlewareHandler } from 'hono'
import { collectDefaultMetrics, Registry } from 'prom-client'
import type { Execution } from '../../execution/context.ts'
import type { HttpEnv } from '../http-parts.ts'
import { registerJobMetrics } from './job-metrics.ts'
import { registerProcessMetrics } from './process-metrics.ts'
import { registerQueueGauges } from './queue-gauges.ts'
import { requestMetrics } from './request-metrics.ts'

export interface Metrics {
  /** Measures requests; put before everything that may refuse one. */
  readonly requests: MiddlewareHandler<HttpEnv>
  /** Everything in Prometheus' text format; scrapes at the same time share one. */
  scrape(): Promise<string>
}

/**
 * The metrics of this process in a registry of its own. Node's own (event loop lag, memory, garbage collection) are
 * measured from the first scrape on: a server that nobody watches pays nothing for them.
 */
export function createMetrics(execution: Execution, sseClients: () => number): Metrics {
  const registry = new Registry()
  registerProcessMetrics(registry, execution, sseClients)
  registerJobMetrics(registry, execution)
  const gauges = registerQueueGauges(registry, execution)
  const requests = requestMetrics(registry)
  let measuresNode = false
  let scraping: Promise<string> | null = null

  const scrapeNow = async (): Promise<string> => {
    if (!measuresNode) collectDefaultMetrics({ register: registry })
    measuresNode = true
    await gauges.read()
    return registry.metrics()
  }
  return {
    requests,
    scrape() {
      scraping ??= scrapeNow().finally(() => {
        scraping = null
      })
      return scraping
    },
  }
}
