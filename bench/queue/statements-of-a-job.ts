import { setTimeout as wait } from 'node:timers/promises'
import { v7 as uuidV7 } from 'uuid'
import { startControl } from '../../bff/control/start-control.ts'
import { createWorker } from '../../bff/execution/attempt/worker.ts'
import { closeExecution } from '../../bff/execution/context.ts'
import { ensureOwner } from '../../bff/execution/sessions.ts'
import { submitPrompt } from '../../bff/execution/submit-prompt.ts'
import { migrate } from '../../bff/store/database/migrate.ts'
import { openPostgres } from '../../bff/store/database/postgres/open-postgres.ts'
import { joinProcesses } from '../../bff/store/database/postgres/processes/join-processes.ts'
import { benchExecution, quietLog } from '../bench-execution.ts'
import { rounded } from '../percentiles.ts'

const jobs = 200
const idleMs = 10_000

/** Statements that an accepted job costs, that running it costs, and that nothing costs, BEGIN and COMMIT included. */
export async function statementsOfAJob(url: string): Promise<Record<string, number>> {
  const database = await joinProcesses(await openPostgres({ url }), { url, log: quietLog, pollMs: 2_000 })
  await migrate(database)
  const execution = benchExecution(database)
  const owner = await ensureOwner(execution)
  const counted = async (work: () => Promise<void>): Promise<number> => {
    const before = database.statementCount()
    await work()
    return database.statementCount() - before
  }
  const accepting = await counted(async () => {
    for (let n = 0; n < jobs; n++)
      await submitPrompt(execution, owner, { prompt_id: uuidV7(), text: 'cycle' })
  })
  const worker = createWorker(execution, { workerId: 'bench', concurrency: 8, claimsNext: true })
  let left = jobs
  const finished = new Promise<void>((resolve) => {
    database.signals.subscribe('job-moved', ({ move }) => {
      if (move.to !== 'succeeded') return
      left -= 1
      if (left === 0) resolve()
    })
  })
  let control: ReturnType<typeof startControl> | undefined
  const running = await counted(async () => {
    control = startControl(execution, worker, { reclaimFormerSelf: false })
    await finished
  })
  await wait(1_000)
  const idle = await counted(() => wait(idleMs))
  await control?.stop()
  worker.close()
  await closeExecution(execution)
  await database.close()
  return {
    'of accepting one': rounded(accepting / jobs),
    'of running one, eight at once': rounded(running / jobs),
    [`in ${idleMs / 1_000} idle seconds`]: idle,
  }
}
