import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { missionProgram } from './built-product.ts'

export interface MissionProcess {
  readonly pid: number
  /** Its first line of output, which says that it is ready; null when it ended before. */
  readonly ready: Promise<string | null>
  /** How it ended, with what it said on stderr. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; stderr: string }>
  kill(signal: NodeJS.Signals): void
}

const stderrCharsMax = 4_000

/** Starts a verb of the built product with nothing but these settings. */
export function startMission(
  args: readonly string[],
  dataDir: string,
  settings: Readonly<Record<string, string>>,
): MissionProcess {
  mkdirSync(dataDir, { recursive: true })
  const child = spawn(process.execPath, [missionProgram, ...args, '--json'], {
    env: { PATH: process.env.PATH, HOME: dataDir, MISSION_DATA_DIR: dataDir, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr?.on('data', (chunk) => {
    stderr = `${stderr}${chunk}`.slice(-stderrCharsMax)
  })
  const ended = new Promise<Awaited<MissionProcess['ended']>>((resolve) => {
    child.on('error', (error) => resolve({ code: null, signal: null, stderr: error.message }))
    child.on('close', (code, signal) => resolve({ code, signal, stderr }))
  })
  return {
    pid: child.pid ?? -1,
    ready: Promise.race([firstLine(child), ended.then(() => null)]),
    ended,
    kill: (signal) => void child.kill(signal),
  }
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    if (child.stdout) createInterface({ input: child.stdout }).once('line', resolve)
  })
}
