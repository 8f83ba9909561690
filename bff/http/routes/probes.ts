import { endpoints } from '../../../shared/api.ts'
import { DomainError } from '../../domain/errors.ts'
import { type Route, route } from '../route.ts'

/** `document` is asked for once all routes are known, its own among them. */
export function probeRoutes(ready: () => boolean, document: () => Record<string, unknown>): Route[] {
  return [
    route(endpoints.health, () => ({ ok: true })),
    route(endpoints.readiness, () => {
      if (ready()) return { ready: true }
      throw new DomainError('not_ready', 'Migrations have not run yet, or no worker claims.')
    }),
    route(endpoints.openApi, () => document()),
  ]
}
