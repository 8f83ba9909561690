import { startControl } from '../../control/start-control.ts'
import { createWorker } from '../../execution/attempt/worker.ts'
import type { RunOnceAnswer, RunOnceBody } from '../../http/admin-contract.ts'
import type { Product } from '../wire.ts'
import { createOnceRunner } from './once-runner.ts'
import { workerId } from './worker-id.ts'

/** The part of a process that runs jobs, or at least takes back those of dead workers. */
export interface Jobs {
  /** Resolves once former claims were taken back and jobs are claimed. */
  readonly ready: Promise<void>
  /** One batch beside the worker's own, on request. */
  runOnce(request: RunOnceBody): Promise<RunOnceAnswer>
  /** Claims no more, and hands back uncounted what does not finish within a part of `graceMs`. */
  stop(graceMs: number): Promise<void>
}

export interface JobsOptions {
  /** Whether to run jobs; reclaiming goes on in any case. */
  worker: boolean
  batchSize?: number
  priorityCeiling?: number
}

export function startJobs({ execution, config, storage }: Product, options: JobsOptions): Jobs {
  const { worker: runsJobs, ...limits } = options
  const worker = runsJobs
    ? createWorker(execution, {
        workerId: workerId(),
        concurrency: config.concurrency,
        claimsNext: true,
        ...limits,
      })
    : null
  // On the embedded database the lock proves that nobody else can hold a claim.
  const control = startControl(execution, worker, { reclaimFormerSelf: storage.kind === 'pglite' })
  const runner = createOnceRunner(execution)
  return {
    ready: control.ready,
    runOnce: runner.runOnce,
    async stop(graceMs) {
      await Promise.all([control.stop(), worker?.drain(graceMs), runner.drain(graceMs)])
      worker?.close()
    },
  }
}
