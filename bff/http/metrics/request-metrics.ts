import type { MiddlewareHandler } from 'hono'
import { Histogram, type Registry } from 'prom-client'
import { apiMethods } from '../../../shared/endpoint.ts'
import type { HttpEnv } from '../http-parts.ts'

const methods: ReadonlySet<string> = new Set([...apiMethods, 'HEAD'])

/**
 * Measures every request until its answer begins; a stream goes on after that. The route is the endpoint's template (`other` for pages and refusals),
 * never the address, so that labels have a bound and hold nobody's id.
 */
export function requestMetrics(registry: Registry): MiddlewareHandler<HttpEnv> {
  const durations = new Histogram({
    name: 'mission_http_request_duration_seconds',
    help: 'From a request to the beginning of its answer, by endpoint, method and status.',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [registry],
  })
  return async (context, next) => {
    const end = durations.startTimer()
    await next()
    const { method } = context.req
    end({
      route: context.get('route') ?? 'other',
      method: methods.has(method) ? method : 'other',
      status: context.res.status,
    })
  }
}
