import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import * as z from 'zod/mini'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const main = join(root, 'bff/cli/main.ts')
const verbMs = 120_000
const serveMs = 300_000
const logLookMs = 10
const logLooksMax = 6_000

/** How one `mission` ended. */
export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

export interface RunningProcess {
  pid: number
  kill(signal: NodeJS.Signals): void
  ended: Promise<Ended>
  /** Closes our end of its stdout, as a terminal does that goes away. */
  closeStdout(): void
}

export interface ServeProcess extends RunningProcess {
  url: string
  loginUrl: string
}

type Environment = Record<string, string>

/** A data directory of its own, gone with the test; processes that still run then are killed by their own pid. */
export function missionIn(extra: Environment = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'mission-cli-'))
  const running = new Set<ChildProcess>()
  onTestFinished(async () => {
    await Promise.all([...running].map(killAndWait))
    rmSync(dataDir, { recursive: true, force: true })
  })
  const start = (args: readonly string[], more: Environment, timeoutMs: number, input?: string) => {
    const child = spawn(process.execPath, ['--import', 'tsx', main, ...args], {
      cwd: root,
      env: { ...inherited(), MISSION_DATA_DIR: dataDir, MISSION_PORT: '0', ...extra, ...more },
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    })
    child.stdin?.end(input)
    running.add(child)
    child.on('exit', () => running.delete(child))
    return child
  }
  return {
    dataDir,
    /** Runs a verb to its end. */
    run: (args: readonly string[], more: Environment = {}) => endOf(start(args, more, verbMs)),
    /** Begins a verb and leaves it running; `input` is its stdin. */
    begin(args: readonly string[], input?: string): RunningProcess {
      const child = start(args, {}, verbMs, input)
      return processOf(child, endOf(child))
    },
    /** Runs a verb with `--json` that has to succeed. */
    async json<Answer>(args: readonly string[], answer: z.ZodMiniType<Answer>): Promise<Answer> {
      const { code, stdout, stderr } = await endOf(start([...args, '--json'], {}, verbMs))
      if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`)
      return answer.parse(JSON.parse(stdout))
    },
    /** A worker that runs until told to end; resolves once it claims. */
    async worker(more: Environment = {}): Promise<RunningProcess> {
      const child = start(['run-worker', '--json'], more, serveMs)
      const { ended } = await ready(child)
      return processOf(child, ended)
    },
    /** Resolves once the log of a process of ours has a line with these words. */
    async logged(pid: number, words: string): Promise<void> {
      const file = join(dataDir, 'log/mission.ndjson')
      for (let looks = 0; looks < logLooksMax; looks += 1) {
        const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
        if (lines.some((line) => line.includes(`"pid":${pid},`) && line.includes(words))) return
        await wait(logLookMs)
      }
      throw new Error(`process ${pid} never logged: ${words}`)
    },
    /** Resolves once it is ready. */
    async serve(args: readonly string[] = [], more: Environment = {}): Promise<ServeProcess> {
      const child = start(['serve', '--json', ...args], more, serveMs)
      const { line, ended } = await ready(child)
      const { url, login_url } = serveLine.parse(JSON.parse(line))
      return { ...processOf(child, ended), url, loginUrl: login_url }
    },
  }
}

async function ready(child: ChildProcess): Promise<{ line: string; ended: Promise<Ended> }> {
  const ended = endOf(child)
  const line = await Promise.race([firstLine(child), ended.then(endedEarly)])
  return { line, ended }
}

function processOf(child: ChildProcess, ended: Promise<Ended>): RunningProcess {
  return {
    pid: child.pid ?? 0,
    kill: (signal) => void child.kill(signal),
    ended,
    closeStdout: () => child.stdout?.destroy(),
  }
}

const serveLine = z.object({ url: z.string(), login_url: z.string() })

/** Nothing of the machine's own settings, and no model server that it may run. */
function inherited(): Environment {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'LANG']
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

function endedEarly({ code, stderr }: Ended): never {
  throw new Error(`it ended with ${code} before it was ready: ${stderr}`)
}

async function killAndWait(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL')
    await ended
  }
}
