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

/** Starts `mission serve` as an operator would, and signs in by its link. Ended by its own pid. */
export async function runServer(
  more: Record<string, string>,
  args: readonly string[] = [],
): Promise<RunningServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'mission-bench-'))
  const child = spawn(process.execPath, [main, 'serve', '--json', ...args], {
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
  const { url, login_url } = await firstLine(child)
  const login = await fetch(login_url, { redirect: 'manual' })
  const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  return {
    url,
    cookie,
    async close() {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await gone
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

async function firstLine(child: ChildProcess): Promise<{ url: string; login_url: string }> {
  if (!child.stdout) throw new Error('the server has no output')
  const timer = setTimeout(() => child.kill('SIGKILL'), startMs)
  for await (const line of createInterface({ input: child.stdout })) {
    clearTimeout(timer)
    return JSON.parse(line)
  }
  throw new Error('the server ended before it was ready')
}
