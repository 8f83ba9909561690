import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from './config.ts'
import { redactorOf } from './redactor.ts'

/**
 * Keeps what nobody expected where an operator finds it: the log of the data directory. Written at once, since the
 * process is about to end; a directory that cannot be written leaves only the line on stderr.
 */
export function recordDefect(error: unknown): void {
  try {
    const config = readConfig()
    const line = JSON.stringify({
      level: 60,
      time: new Date().toISOString(),
      pid: process.pid,
      err: wordsOf(error),
      msg: 'ended by an unexpected error',
    })
    const folder = join(config.dataDir, 'log')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    appendFileSync(join(folder, 'mission.ndjson'), `${redactorOf(config)(line)}\n`, { mode: 0o600 })
  } catch {
    // Nowhere to write it.
  }
}

function wordsOf(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) }
  const cause = error.cause === undefined ? {} : { cause: wordsOf(error.cause) }
  return { type: error.name, message: error.message, stack: error.stack, ...cause }
}
