import { v7 as uuidV7 } from 'uuid'
import { agingMsDefault } from '../../domain/claim-order.ts'
import { defaultDeadlines } from '../../domain/deadlines.ts'
import type { Log } from '../../domain/ports.ts'
import type { Database } from '../../store/database/database.ts'
import { insertMember } from '../../store/identity/members.ts'
import { createWorker, type Worker } from '../attempt/worker.ts'
import { createExecution, type Execution, type ExecutionSettings, type Scope } from '../context.ts'
import { type ScriptedProvider, scriptedProvider } from './scripted-provider.ts'
import { type TestClock, testClock } from './test-clock.ts'

export interface TestExecution {
  execution: Execution
  clock: TestClock
  provider: ScriptedProvider
  worker: Worker
  /** A person in an org of its own. */
  person(): Promise<Scope>
}

/** What two executions on one database may share: a restart keeps the clock, not the provider's calls. */
export interface TestParts {
  clock?: TestClock
  provider?: ScriptedProvider
  workerId?: string
}

const silent: Log = { info: () => {}, warn: () => {}, error: () => {} }

/** Execution on a real database, with a clock and a provider that the test holds in its hands. */
export function testExecution(
  database: Database,
  settings: Partial<ExecutionSettings> = {},
  parts: TestParts = {},
): TestExecution {
  const { clock = testClock(), provider = scriptedProvider(), workerId = 'test-worker' } = parts
  const execution = createExecution({
    database,
    clock,
    log: silent,
    random: () => 0,
    version: 'test',
    providers: {
      default: () => ({ provider, model: provider.defaultModel }),
      list: () => [provider],
      byId: (id) => (id === provider.id ? provider : undefined),
      found: null,
    },
    settings: {
      deadlines: defaultDeadlines,
      agingMs: agingMsDefault,
      backoffScale: 1,
      concurrency: 8,
      orgConcurrency: 8,
      drainMs: 10_000,
      eventCoalesceMs: 0,
      submitsPerMinute: 1_200,
      ...settings,
    },
  })
  return {
    execution,
    clock,
    provider,
    worker: createWorker(execution, { workerId, concurrency: execution.settings.concurrency }),
    async person() {
      const who: Scope = { orgId: uuidV7(), personId: uuidV7() }
      await database.transaction((tx) =>
        insertMember(tx, { ...who, orgName: 'Org', personName: 'Person', role: 'member' }, clock.now()),
      )
      return who
    },
  }
}
