import { createWorker } from '../bff/execution/attempt/worker.ts'
import { ensureOwner } from '../bff/execution/sessions.ts'
import { submitPrompt } from '../bff/execution/submit-prompt.ts'
import type { Database } from '../bff/store/database/database.ts'
import { benchExecution } from './bench-execution.ts'
import { onEachDatabase } from './databases.ts'
import { rounded } from './percentiles.ts'

const jobs = 400

/** Insert–claim–settle cycles a second with every real write of a transition, one job at a time and eight at once. */
export function cycles(): Promise<Record<string, unknown>> {
  return onEachDatabase(async (database) => {
    const one = await cyclesPerSecond(database, 1)
    const eight = await cyclesPerSecond(database, 8)
    return { oneAtATime: one, eightAtOnce: eight, 'eight / one': rounded(eight / one) }
  })
}

async function cyclesPerSecond(database: Database, concurrency: number): Promise<number> {
  const execution = benchExecution(database)
  const owner = await ensureOwner(execution)
  const worker = createWorker(execution, { workerId: 'bench', concurrency })
  const start = performance.now()
  for (let done = 0; done < jobs; done += concurrency) {
    await Promise.all(
      Array.from({ length: concurrency }, () => submitPrompt(execution, owner, { text: 'cycle' })),
    )
    await worker.claimOnce()
    await worker.idle()
  }
  worker.close()
  return rounded((jobs / (performance.now() - start)) * 1_000)
}
