import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { TestDatabase } from '../test-database.ts'
import { fcSettings } from './fc-settings.ts'
import { queueCommand } from './queue-commands.ts'
import { createQueueModel } from './queue-model.ts'
import { realQueue } from './real-queue.ts'
import { readBothHistories } from './replay-history.ts'

/**
 * Random runs of commands against the real store and the model side by side. A failure prints its seed and the shortest
 * run of commands that still fails; `FC_SEED` repeats it, `FC_RUNS` sets the number of runs.
 */
export function queueModelConformance(
  open: () => TestDatabase,
  plan: { runs: number; commandsMax: number; timeoutMs: number },
): void {
  const { runs, commandsMax, timeoutMs } = plan
  it(`does what the model does, in ${runs} runs of up to ${commandsMax} commands`, {
    timeout: timeoutMs,
  }, async () => {
    const commands = fc.commands([queueCommand()], { maxCommands: commandsMax, size: 'max' })
    const run = fc.asyncProperty(fc.integer({ min: 1, max: 4 }), commands, async (orgConcurrency, chosen) => {
      await open().truncate()
      await fc.asyncModelRun(() => {
        const real = realQueue(open().database, orgConcurrency)
        return { model: createQueueModel(real.orgs[0].now().getTime(), orgConcurrency), real }
      }, chosen)
      const { rows, told } = await readBothHistories(open().database)
      expect(told).toEqual(rows)
    })
    await fc.assert(run, fcSettings(runs))
  })
}
