import type { Command } from 'commander'
import { DomainError } from '../../domain/errors.ts'
import { readConfig } from '../config.ts'
import { serverRuns, withReach } from '../reach/with-reach.ts'
import { awaitEnd, endInOrder } from '../serving/end-signal.ts'
import { workerId } from '../serving/worker-id.ts'
import { print, printJson } from '../terminal/output.ts'
import { addVerb, numberOption } from '../terminal/verb.ts'

interface Options {
  once?: boolean
  batchSize?: number
  priorityCeiling?: number
  json?: boolean
}

export function addRunWorker(program: Command): void {
  addVerb(program, 'run-worker', 'Run jobs until told to end.')
    .option('--once', 'claim one batch, run it to its end, and end')
    .addOption(numberOption('--batch-size <n>', 'how many jobs to claim at once at most', 1, 1_000))
    .addOption(
      numberOption('--priority-ceiling <n>', 'leave jobs of a higher priority number to others', 0, 100),
    )
    .action((options: Options) => (options.once ? runOnce(options) : runUntilTold(options)))
}

async function runOnce({ batchSize, priorityCeiling, json }: Options): Promise<void> {
  const request = {
    ...(batchSize !== undefined && { batch_size: batchSize }),
    ...(priorityCeiling !== undefined && { priority_ceiling: priorityCeiling }),
  }
  const answer = await withReach('runs mission run-worker --once', (reach) => reach.runOnce(request))
  if (json) printJson(answer)
  else print(answer.claimed === 0 ? 'Nothing was waiting.' : `Ran ${answer.claimed}.`)
}

async function runUntilTold({ batchSize, priorityCeiling, json }: Options): Promise<void> {
  const end = awaitEnd()
  const config = readConfig()
  if (config.databaseUrl === null && (await serverRuns(config))) {
    throw new DomainError(
      'data_dir_locked',
      `The server that uses ${config.dataDir} runs its jobs already; a worker of its own needs PostgreSQL (DATABASE_URL).`,
    )
  }
  const { openProduct } = await import('../wire.ts')
  const { startJobs } = await import('../serving/start-jobs.ts')
  const product = await openProduct(config, 'runs mission run-worker')
  const { log, execution } = product
  const jobs = startJobs(product, {
    worker: true,
    ...(batchSize !== undefined && { batchSize }),
    ...(priorityCeiling !== undefined && { priorityCeiling }),
  })
  await jobs.ready
  const facts = { worker_id: workerId(), concurrency: execution.settings.concurrency }
  if (json) print(JSON.stringify(facts))
  else print(`Worker ${facts.worker_id} runs up to ${facts.concurrency} jobs at once.`)
  log.info(facts, 'worker ready')

  log.info({ signal: await end.asked }, 'worker ends')
  await endInOrder([() => jobs.stop(config.drainMs / 2), product.close], config.drainMs, (error) =>
    log.error({ err: error }, 'a part did not end well'),
  )
  log.flush()
}
