import { createWorker, type Worker } from '../../execution/attempt/worker.ts'
import type { Execution } from '../../execution/context.ts'
import type { RunOnceAnswer, RunOnceBody } from '../../http/admin-contract.ts'
import { workerId } from './worker-id.ts'

/** Claims one batch when asked and runs it to its end, beside whatever else runs. */
export interface OnceRunner {
  runOnce(request: RunOnceBody): Promise<RunOnceAnswer>
  /** Hands back what still runs; what asked for it is answered then. */
  drain(graceMs: number): Promise<void>
}

export function createOnceRunner(execution: Execution): OnceRunner {
  const workers = new Set<Worker>()
  return {
    async runOnce({ batch_size, priority_ceiling }) {
      const worker = createWorker(execution, {
        workerId: workerId(),
        concurrency: batch_size ?? execution.settings.concurrency,
        ...(priority_ceiling !== undefined && { priorityCeiling: priority_ceiling }),
      })
      workers.add(worker)
      try {
        const { claimed } = await worker.claimOnce()
        await worker.idle()
        return { claimed }
      } finally {
        workers.delete(worker)
        worker.close()
      }
    },
    async drain(graceMs) {
      await Promise.all([...workers].map((worker) => worker.drain(graceMs)))
    },
  }
}
