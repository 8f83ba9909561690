import { entityEndpoints } from './contracts/entities.ts'
import { externalEndpoints } from './contracts/external.ts'
import { offersEndpoints } from './contracts/offers.ts'
import { presenceEndpoints } from './contracts/presence.ts'
import { searchEndpoints } from './contracts/search.ts'
import { settingsEndpoints } from './contracts/settings.ts'
import { threadEndpoints } from './contracts/threads.ts'
import { traceEndpoints } from './contracts/trace.ts'
import { waitingEndpoints } from './contracts/waiting.ts'
import { webhookEndpoints } from './contracts/webhooks.ts'
import type { Endpoint } from './endpoint.ts'

/**
 * Calls whose contract stands but which no server answers yet: they are 404. Who serves one moves it from here to
 * `endpoints` in `api.ts`; a test sees to it that none is in both.
 */
export const plannedEndpoints = {
  ...entityEndpoints,
  ...externalEndpoints,
  ...offersEndpoints,
  ...presenceEndpoints,
  ...searchEndpoints,
  ...settingsEndpoints,
  nameThread: threadEndpoints.nameThread,
  ...traceEndpoints,
  keepWaiting: waitingEndpoints.keepWaiting,
  ...webhookEndpoints,
} as const satisfies Readonly<Record<string, Endpoint>>
