import type { Command } from 'commander'
import { type Config, readConfig } from '../config.ts'
import { awaitEnd, endInOrder } from '../serving/end-signal.ts'
import type { RunningServer } from '../serving/start-server.ts'
import { print } from '../terminal/output.ts'
import { addVerb, numberOption } from '../terminal/verb.ts'
import type { Product } from '../wire.ts'

interface Options {
  worker: boolean
  port?: number
  json?: boolean
}

export function addServe(program: Command): void {
  addVerb(program, 'serve', 'Serve the page and its interface, and run jobs, until told to end.')
    .option('--no-worker', 'run no jobs here')
    .addOption(numberOption('--port <n>', 'instead of MISSION_PORT', 0, 65_535))
    .action(serve)
}

async function serve({ worker, port, json }: Options): Promise<void> {
  const end = awaitEnd()
  const config = { ...readConfig(), ...(port !== undefined && { port }) }
  const { openProduct } = await import('../wire.ts')
  const { startServer } = await import('../serving/start-server.ts')
  const product = await openProduct(config, config.port === 0 ? 'serves' : `serves on port ${config.port}`)
  const server = await startServer(product, worker).catch(async (error: unknown) => {
    await product.close()
    throw error
  })
  await server.ready
  if (json) print(JSON.stringify({ url: server.url, login_url: server.loginUrl }))
  else greet(product, server, worker)
  product.log.info({ url: server.url, worker, database: product.storage.kind }, 'server ready')

  const signal = await end.asked
  await endServer(product, server, signal)
}

/** The link stands last, where the eye is and where scripts look. */
function greet({ config, execution, storage }: Product, server: RunningServer, worker: boolean): void {
  print(`Mission Field ${execution.version} serves ${server.url}${worker ? '' : ' and runs no jobs'}`)
  print(`Data: ${storage.kind === 'postgres' ? 'PostgreSQL' : config.dataDir}${durabilityWords(storage)}`)
  print(`Answers: ${answererWords(execution.providers)}`)
  print(`Sign in, once, within 15 minutes; mission login-link makes another link.`)
  print(`Open ${server.loginUrl}`)
}

function durabilityWords({ sync }: Product['storage']): string {
  switch (sync?.diskSync) {
    case undefined:
      return ''
    case 'verified':
      return ', each commit synced to disk'
    case 'off':
      return ', commits not synced to disk (MISSION_DISK_SYNC is off)'
    case 'unverified':
      return ', but commits were not seen to be synced to disk; mission doctor says more'
  }
}

function answererWords(providers: Product['execution']['providers']): string {
  const { provider, model } = providers.default()
  if (provider.practice) {
    return `practice (${model}), artificial text; set OPENAI_API_KEY or OPENAI_BASE_URL, or start Ollama, for a real model`
  }
  return `${providers.found ?? provider.id}, model ${model}`
}

/** Half of the time is for jobs and requests; closing the data needs some of the rest. */
async function endServer(
  { log, config, close }: Pick<Product, 'log' | 'close'> & { config: Config },
  server: RunningServer,
  signal: NodeJS.Signals,
): Promise<void> {
  log.info({ signal }, 'server ends')
  const inOrder = await endInOrder([() => server.stop(config.drainMs / 2), close], config.drainMs, (error) =>
    log.error({ err: error }, 'a part did not end well'),
  )
  if (!inOrder) log.warn({}, 'the end was cut short; what was not handed back is reclaimed at the next start')
  log.info({}, 'server ended')
  log.flush()
}
