import { randomUUID } from 'node:crypto'
import { Hono } from 'hono'
import { compress } from 'hono/compress'
import { DomainError } from '../domain/errors.ts'
import type { Log } from '../domain/ports.ts'
import { endStreamsWithSessions } from './end-streams-with-sessions.ts'
import { hostGuard, originGuard, sessionGuard } from './guards.ts'
import type { HttpApp, HttpEnv, HttpParts } from './http-parts.ts'
import { createMetrics, type Metrics } from './metrics/create-metrics.ts'
import { openApiDocument } from './open-api.ts'
import { createOpenStreams, type OpenStreams } from './open-streams.ts'
import { webFile } from './pages/web-files.ts'
import { internalProblem, problemResponse } from './problem-response.ts'
import { rememberedSessions, type Sessions } from './remembered-sessions.ts'
import { MethodNotAllowed, mount, type Route } from './route.ts'
import { actionRoutes } from './routes/actions.ts'
import { bulkRoutes } from './routes/bulk.ts'
import { loginRoutes } from './routes/login.ts'
import { metricsRoutes } from './routes/metrics.ts'
import { missionRoutes } from './routes/mission.ts'
import { probeRoutes } from './routes/probes.ts'
import { promptRoutes } from './routes/prompts.ts'
import { scheduleRoutes } from './routes/schedules.ts'
import { sessionRoutes } from './routes/session.ts'
import { threadRoutes } from './routes/threads.ts'
import { waitingRoutes } from './routes/waiting.ts'
import { securityHeaders } from './security-headers.ts'
import { createSubmitLimit } from './submit-limit.ts'

/**
 * The whole public side: API, probes, sign-in and the page. Reads no environment and opens nothing; what it needs
 * comes in `parts`. Serve it with `listen`, or call `app.request` on it.
 */
export function createApp(parts: HttpParts): HttpApp {
  const { execution, settings } = parts
  const sessions = rememberedSessions(execution)
  const streams = createOpenStreams()
  endStreamsWithSessions(execution, sessions, streams)
  const metrics = createMetrics(execution, () => streams.size)
  const app: HttpApp = new Hono<HttpEnv>()
  app.onError((error) => errorResponse(error, execution.log))
  app.use(metrics.requests, securityHeaders, hostGuard(settings), originGuard(settings))
  app.use('/api/v1/*', sessionGuard(sessions))
  mount(
    app,
    allRoutes(parts, sessions, streams, metrics),
    createSubmitLimit(settings.submitsPerMinute, execution.clock),
  )
  app.all('/api/*', () => {
    throw new DomainError('not_found', 'The interface has no such call; /openapi.json lists them.')
  })
  app.use(compress())
  app.all('*', (context) => webFile(context, parts.webRoot))
  return app
}

/** An expected failure tells what it has to; anything else is logged, and told as nothing but where to look. */
export function errorResponse(error: unknown, log: Log): Response {
  if (error instanceof MethodNotAllowed) return problemResponse(error, { Allow: error.allow })
  if (error instanceof DomainError) return problemResponse(error)
  const requestId = randomUUID()
  log.error({ request_id: requestId, error }, 'request failed')
  return internalProblem(requestId)
}

function allRoutes(
  { execution, settings, ready }: HttpParts,
  sessions: Sessions,
  streams: OpenStreams,
  metrics: Metrics,
): Route[] {
  const routes: Route[] = [
    ...promptRoutes(execution),
    ...waitingRoutes(execution),
    ...actionRoutes(execution),
    ...threadRoutes(execution),
    ...bulkRoutes(execution),
    ...scheduleRoutes(execution),
    ...missionRoutes(execution, streams),
    ...sessionRoutes(execution, settings, sessions),
    ...loginRoutes(execution, settings),
    ...metricsRoutes(metrics),
    ...probeRoutes(ready, () => {
      document ??= openApiDocument(
        routes.map(({ endpoint }) => endpoint),
        execution.version,
      )
      return document
    }),
  ]
  let document: Record<string, unknown> | undefined
  return routes
}
