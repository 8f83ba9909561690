import type { Worker } from '../execution/attempt/worker.ts'
import type { Execution } from '../execution/context.ts'
import { reclaimStuckJobs } from '../execution/operate-jobs.ts'
import { startClaimLoop } from './claim-loop.ts'
import { startReclaimTimer } from './reclaim-timer.ts'
import { startScheduleTimer } from './schedule-timer.ts'
import { startStatisticsUpkeep } from './statistics-upkeep.ts'

/** The timers around a worker: claims, reclaims, recurring prompts; and the upkeep of what statements are planned by. */
export interface Control {
  /** Resolves when what a former self held was taken back and the worker claims. */
  readonly ready: Promise<void>
  stop(): Promise<void>
}

export interface ControlOptions {
  /** Take back at once whatever is running: true only where the lock proves that nobody else can hold it. */
  reclaimFormerSelf: boolean
}

/** @param worker null where this process serves but runs no jobs; the others go on all the same. */
export function startControl(execution: Execution, worker: Worker | null, options: ControlOptions): Control {
  const started = (async () => {
    if (options.reclaimFormerSelf) await reclaimStuckJobs(execution, true)
    return [
      startReclaimTimer(execution, worker),
      startScheduleTimer(execution),
      startStatisticsUpkeep(execution),
      ...(worker ? [startClaimLoop(execution, worker)] : []),
    ]
  })()
  return {
    ready: started.then(() => {}),
    async stop() {
      const loops = await started.catch(() => [])
      await Promise.all(loops.map((loop) => loop.stop()))
    },
  }
}
