import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as z from 'zod/mini'
import { freePort } from './free-port.ts'

export type Environment = Readonly<Record<string, string>>

/** How a `mission` ended. */
export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

/** The built product on a data directory of its own; one process at a time, always on the same port. */
export interface MissionServer {
  readonly url: string
  readonly dataDir: string
  /** Of the last start; signs one browser in, once. */
  readonly loginUrl: string
  readonly pid: number
  /** Starts it and resolves when it is ready: with the moment at which `/readyz` first said so, by this clock. */
  start(): Promise<{ readyAtMs: number }>
  /** Ends it by SIGTERM and resolves when it has. */
  stop(): Promise<Ended>
  /** SIGKILL: no handler runs, nothing is handed back. */
  kill9(): Promise<void>
  /** Ends it by SIGTERM and starts it again. */
  restart(): Promise<void>
  /** Runs another verb on the same data directory. */
  run(...args: readonly string[]): Promise<Ended>
  /** What it said and logged so far, for a failure's report. */
  words(): Promise<string>
  /** Kills what still runs and removes the data. */
  dispose(): Promise<void>
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const main = join(root, 'dist/bff/cli/main.js')
/** Seconds on a machine that does nothing else; this is for one that does. */
const startMsMax = 120_000
const verbMsMax = 60_000

/** Does not start it yet. `environment` is added to what every server here has. */
export async function missionServer(environment: Environment): Promise<MissionServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'mission-e2e-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const env = {
    ...inherited(),
    MISSION_DATA_DIR: dataDir,
    MISSION_PORT: String(port),
    MISSION_SUBMITS_PER_MINUTE: '1000000',
    ...environment,
  }
  const said: string[] = []
  let server: ServerProcess | undefined

  function spawnMission(args: readonly string[]) {
    return spawn(process.execPath, [main, ...args], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  }

  function running(): ServerProcess {
    if (server === undefined) throw new Error('the server is not running')
    return server
  }

  async function end(signal: NodeJS.Signals): Promise<Ended> {
    const { child, ended } = running()
    child.kill(signal)
    const how = await ended
    said.push(how.stderr)
    server = undefined
    return how
  }

  async function start(): Promise<{ readyAtMs: number }> {
    if (server !== undefined) throw new Error('the server runs already')
    const child = spawnMission(['serve', '--json'])
    server = { child, ended: endOf(child), loginUrl: '' }
    const { ended } = server
    const giveUp = AbortSignal.timeout(startMsMax)
    const [readyAtMs, line] = await Promise.race([
      Promise.all([firstReady(url, giveUp), firstLine(child)]),
      ended.then(({ code, stderr }): never => {
        server = undefined
        throw new Error(`the server ended with ${code} before it was ready: ${stderr}`)
      }),
    ])
    server.loginUrl = serveLine.parse(JSON.parse(line)).login_url
    return { readyAtMs }
  }

  return {
    url,
    dataDir,
    get loginUrl() {
      return running().loginUrl
    },
    get pid() {
      return running().child.pid ?? 0
    },
    start,
    stop: () => end('SIGTERM'),
    kill9: async () => void (await end('SIGKILL')),
    async restart() {
      await end('SIGTERM')
      await start()
    },
    run(...args) {
      const child = spawnMission(args)
      const timer = setTimeout(() => child.kill('SIGKILL'), verbMsMax)
      return endOf(child).finally(() => clearTimeout(timer))
    },
    async words() {
      const log = await readFile(join(dataDir, 'log/mission.ndjson'), 'utf8').catch(() => '(no log)')
      return `${said.join('')}${log.slice(-200_000)}`
    },
    async dispose() {
      if (server !== undefined) await end('SIGKILL')
      await rm(dataDir, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

interface ServerProcess {
  child: ChildProcess
  ended: Promise<Ended>
  loginUrl: string
}

const serveLine = z.object({ url: z.string(), login_url: z.string() })

/** Nothing of the machine's own settings, keys and model servers. */
function inherited(): Record<string, string> {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'SYSTEMROOT']
  return Object.fromEntries(kept.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])))
}

function endOf(child: ChildProcess): Promise<Ended> {
  const output = { stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk) => (output.stdout += chunk))
  child.stderr?.on('data', (chunk) => (output.stderr += chunk))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, ...output }))
  })
}

function firstLine(child: ChildProcess): Promise<string> {
  let text = ''
  return new Promise((resolve) => {
    child.stdout?.on('data', (chunk) => {
      text += chunk
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')))
    })
  })
}

/** Asks until `/readyz` answers 200, often enough to say when that was. */
async function firstReady(url: string, giveUp: AbortSignal): Promise<number> {
  for (;;) {
    giveUp.throwIfAborted()
    const answer = await fetch(`${url}/readyz`).catch(() => null)
    await answer?.arrayBuffer().catch(() => null)
    if (answer?.ok) return performance.now()
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
