import { setTimeout as wait } from 'node:timers/promises'
import { startControl } from '../bff/control/start-control.ts'
import { createWorker } from '../bff/execution/attempt/worker.ts'
import { ensureOwner } from '../bff/execution/sessions.ts'
import { submitPrompt } from '../bff/execution/submit-prompt.ts'
import { benchExecution } from './bench-execution.ts'
import { onEachDatabase } from './databases.ts'

const idleMs = 15_000
const settleMs = 1_000

/** SQL statements of an idle installation with a delayed job pending; the proof over ten minutes is another matter. */
export function idleStatements(): Promise<Record<string, unknown>> {
  return onEachDatabase(async (database) => {
    const execution = benchExecution(database)
    const owner = await ensureOwner(execution)
    const worker = createWorker(execution, { workerId: 'bench', concurrency: 8 })
    const control = startControl(execution, worker, { reclaimFormerSelf: false })
    await control.ready
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString()
    await submitPrompt(execution, owner, { text: 'later', options: { scheduled_for: inAnHour } })
    await wait(settleMs)
    const before = database.statementCount()
    await wait(idleMs)
    const statements = database.statementCount() - before
    await control.stop()
    worker.close()
    return { seconds: idleMs / 1_000, statements }
  })
}
