import { v7 as uuidV7 } from 'uuid'
import { systemClock } from '../bff/cli/system-clock.ts'
import { agingMsDefault } from '../bff/domain/claim-order.ts'
import { defaultDeadlines } from '../bff/domain/deadlines.ts'
import type { Log, ModelProvider } from '../bff/domain/ports.ts'
import { createExecution, type Execution } from '../bff/execution/context.ts'
import type { Database } from '../bff/store/database/database.ts'

/** Answers at once with one word: what is left to measure is ours. */
export const noOpProvider: ModelProvider = {
  id: 'no-op',
  practice: false,
  defaultModel: 'no-op',
  models: () => ['no-op'],
  run: async (request) => ({
    ok: true,
    text: 'done',
    finishReason: 'stop',
    model: request.model,
    requestId: uuidV7(),
    inputTokens: null,
    outputTokens: null,
  }),
}

/** Only what nobody expects is said. */
export const quietLog: Log = { info: () => {}, warn: () => {}, error: console.error }

export function benchExecution(database: Database, concurrency = 8): Execution {
  return createExecution({
    database,
    clock: systemClock,
    log: quietLog,
    version: 'bench',
    providers: {
      default: () => ({ provider: noOpProvider, model: 'no-op' }),
      list: () => [noOpProvider],
      byId: () => noOpProvider,
      found: null,
    },
    settings: {
      deadlines: defaultDeadlines,
      agingMs: agingMsDefault,
      backoffScale: 1,
      concurrency,
      orgConcurrency: concurrency,
      drainMs: 1_000,
      eventCoalesceMs: 5,
      submitsPerMinute: 1_000_000,
    },
  })
}
