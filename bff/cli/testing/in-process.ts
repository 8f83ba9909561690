import { onTestFinished } from 'vitest'
import { startControl } from '../../control/start-control.ts'
import { agingMsDefault } from '../../domain/claim-order.ts'
import { defaultDeadlines } from '../../domain/deadlines.ts'
import type { ModelProvider } from '../../domain/ports.ts'
import { createWorker, type Worker } from '../../execution/attempt/worker.ts'
import { closeExecution, createExecution, type Execution } from '../../execution/context.ts'
import { type JoinedProcessOptions, joinedProcess } from '../../store/testing/joined-process.ts'
import { systemClock } from '../system-clock.ts'

export interface InProcess {
  execution: Execution
  worker: Worker
}

export interface InProcessOptions extends JoinedProcessOptions {
  provider: ModelProvider
  concurrency: number
  orgConcurrency?: number
}

let made = 0

/**
 * What `mission run-worker` runs, inside the test: a pool, signals, a worker and its timers of its own, by the machine's
 * clock. It ends with the test.
 */
export async function inProcess(url: string, options: InProcessOptions): Promise<InProcess> {
  const { provider, concurrency, orgConcurrency = concurrency, ...join } = options
  const { database } = await joinedProcess(url, join)
  const execution = createExecution({
    database,
    clock: systemClock,
    log: { info() {}, warn() {}, error() {} },
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
      concurrency,
      orgConcurrency,
      drainMs: 10_000,
      eventCoalesceMs: 0,
      submitsPerMinute: 1_000_000,
    },
  })
  made += 1
  const worker = createWorker(execution, { workerId: `test:${made}`, concurrency })
  const control = startControl(execution, worker, { reclaimFormerSelf: false })
  onTestFinished(async () => {
    await control.stop()
    await worker.drain(0)
    worker.close()
    await closeExecution(execution)
  })
  await control.ready
  return { execution, worker }
}
