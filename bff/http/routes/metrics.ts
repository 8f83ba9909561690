import { endpoints } from '../../../shared/api.ts'
import { prometheusText } from '../../../shared/endpoint.ts'
import type { Metrics } from '../metrics/create-metrics.ts'
import { type Route, route } from '../route.ts'

/** Open like the other probes: a scraper has no session, and nothing here is anybody's. */
export function metricsRoutes(metrics: Metrics): Route[] {
  return [
    route(endpoints.metrics, async ({ context }) =>
      context.body(await metrics.scrape(), 200, { 'Content-Type': prometheusText }),
    ),
  ]
}
