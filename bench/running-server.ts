import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('../dist/bff/cli/main.js', import.meta.url))
const startMs = 60_000

/** A built server of its own on scratch data, signed in to. */
export interface RunningServer {
  url: string
  cookie: string
  close(): Promise<void>
}

type Settings = Record<string, string>

/** Starts `mission serve` as an operator would, and signs in by its link. Ended by its own pid. */
export async function runServer(more: Settings, args: readonly string[] = []): Promise<RunningServer> {
  const { line, close } = await runMission(['serve', '--json', ...args], more)
  const { url, login_url }: { url: string; login_url: string } = JSON.parse(line)
  const login = await fetch(login_url, { redirect: 'manual' })
  const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  return { url, cookie, close }
}

/** Starts `mission run-worker`; resolves once it claims. Ended by its own pid. */
export async function runWorker(more: Settings): Promise<{ close(): Promise<void> }> {
  return runMission(['run-worker', '--json'], more)
}

async function runMission(
  args: readonly string[],
  more: Settings,
): Promise<{ line: string; close(): Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'mission-bench-'))
  const child = spawn(process.execPath, [main, ...args], {
    env: {
      PATH: process.env.PATH,
      HOME: dataDir,
      MISSION_DATA_DIR: dataDir,
      MISSION_PORT: '0',
      MISSION_SUBMITS_PER_MINUTE: '1000000',
      ...more,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const line = await firstLine(child)
  return {
    line,
    async close() {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await gone
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('the process has no output')
  const timer = setTimeout(() => child.kill('SIGKILL'), startMs)
  for await (const line of createInterface({ input: child.stdout })) {
    clearTimeout(timer)
    return line
  }
  throw new Error('the process ended before it was ready')
}
