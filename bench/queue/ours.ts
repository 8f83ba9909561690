import { startControl } from '../../bff/control/start-control.ts'
import { createWorker } from '../../bff/execution/attempt/worker.ts'
import { submitBulk } from '../../bff/execution/bulk/submit-bulk.ts'
import { closeExecution, type Execution } from '../../bff/execution/context.ts'
import { ensureOwner } from '../../bff/execution/sessions.ts'
import { submitPrompt } from '../../bff/execution/submit-prompt.ts'
import { migrate } from '../../bff/store/database/migrate.ts'
import { openPostgres } from '../../bff/store/database/postgres/open-postgres.ts'
import { joinProcesses } from '../../bff/store/database/postgres/processes/join-processes.ts'
import { truncateAll } from '../../bff/store/testing/test-database.ts'
import { benchExecution, quietLog } from '../bench-execution.ts'
import type { QueueUnderTest } from './queue-under-test.ts'

/**
 * The product's own engine, as two processes have it on PostgreSQL: one execution that accepts, one that works, each
 * with connections of its own, joined by NOTIFY. Accepting means all that `POST /prompt` does after its body was parsed.
 */
export async function ourQueue(url: string): Promise<QueueUnderTest> {
  const joined = async (connectionsMax: number) =>
    joinProcesses(await openPostgres({ url, connectionsMax }), { url, log: quietLog, pollMs: 2_000 })
  const serving = await joined(10)
  await migrate(serving)
  const working = await joined(32)
  const server = benchExecution(serving)
  const control = startControl(server, null, { reclaimFormerSelf: false })
  let owner = await ensureOwner(server)

  return {
    name: 'mission field',
    async enqueue(id) {
      await submitPrompt(server, owner, { prompt_id: id, text: 'cycle' })
    },
    async enqueueMany(ids) {
      const lines = ids.map((prompt_id) => ({ raw: null, request: { prompt_id, text: 'cycle' } }))
      await submitBulk(server, owner, { lines, atomic: false })
    },
    async process(concurrency, jobs) {
      const execution = benchExecution(working, concurrency)
      const worker = createWorker(execution, { workerId: 'bench', concurrency, claimsNext: true })
      const settled = succeeded(execution, jobs)
      const control = startControl(execution, worker, { reclaimFormerSelf: false })
      await settled
      await control.stop()
      await worker.idle()
      worker.close()
      await closeExecution(execution)
    },
    async follow(onStart) {
      const execution = startTelling(benchExecution(working, 1), onStart)
      const worker = createWorker(execution, { workerId: 'bench', concurrency: 1, claimsNext: true })
      const control = startControl(execution, worker, { reclaimFormerSelf: false })
      await control.ready
      return {
        async stop() {
          await control.stop()
          await worker.idle()
          worker.close()
          await closeExecution(execution)
        },
      }
    },
    async enqueueAndTell(id) {
      await submitPrompt(server, owner, { prompt_id: id, text: 'cycle' })
    },
    async clear() {
      await truncateAll(serving)
      owner = await ensureOwner(server)
    },
    async close() {
      await control.stop()
      await closeExecution(server)
      await working.close()
      await serving.close()
    },
  }
}

/** Hears of each start at the provider's call, which is the handler. */
function startTelling(execution: Execution, onStart: () => void): Execution {
  const { provider } = execution.providers.default()
  const telling: typeof provider = {
    ...provider,
    run(request, options) {
      onStart()
      return provider.run(request, options)
    },
  }
  const chosen = () => ({ provider: telling, model: 'no-op' })
  return { ...execution, providers: { ...execution.providers, byId: () => telling, default: chosen } }
}

/** Resolves with the last of so many successes. */
function succeeded({ database }: Execution, jobs: number): Promise<void> {
  return new Promise((resolve) => {
    let left = jobs
    const leave = database.signals.subscribe('job-moved', ({ move }) => {
      if (move.to !== 'succeeded') return
      left -= 1
      if (left > 0) return
      leave()
      resolve()
    })
  })
}
