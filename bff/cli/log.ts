import { mkdirSync, openSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { DomainError } from '../domain/errors.ts'
import type { Log } from '../domain/ports.ts'
import type { Config } from './config.ts'
import { censored, redactorOf } from './redactor.ts'

export interface OpenLog extends Log {
  readonly file: string
  /** Writes what is still on its way; the process may end afterwards. */
  flush(): void
}

/** At start, a log larger than this makes room for a new one and is kept as `mission.1.ndjson`. */
const fileBytesMax = 50_000_000

/**
 * The structured log: one JSON object per line in `<data dir>/log/mission.ndjson`, mode 0600. Nothing goes to stderr,
 * which is for refusals alone. Processes that share a data directory append to the same file; `pid` tells them apart.
 *
 * @throws DomainError `invalid_settings` when the data directory cannot be written.
 */
export function openLog(config: Config, version: string): OpenLog {
  const folder = join(config.dataDir, 'log')
  const file = join(folder, 'mission.ndjson')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    moveAside(file, join(folder, 'mission.1.ndjson'))
    // Opened here and not by the destination, which cannot flush while it is still opening.
    const destination = pino.destination({ dest: openSync(file, 'a', 0o600), sync: false })
    // A full disk must not end the server: its answers matter more than its log.
    destination.on('error', () => {})
    const logger = pino(
      {
        base: { pid: process.pid, version },
        timestamp: pino.stdTimeFunctions.isoTime,
        serializers: { err: pino.stdSerializers.err, error: pino.stdSerializers.err },
        redact: { paths: secretFields, censor: censored },
        hooks: { streamWrite: redactorOf(config) },
      },
      destination,
    )
    return {
      file,
      info: (fields, message) => logger.info(fields, message),
      warn: (fields, message) => logger.warn(fields, message),
      error: (fields, message) => logger.error(fields, message),
      flush: () => {
        try {
          destination.flushSync()
        } catch {
          // The disk is full.
        }
      },
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw new DomainError(
      'invalid_settings',
      `The data directory ${config.dataDir} cannot be written (${code}); MISSION_DATA_DIR names another.`,
      {},
      { cause: error },
    )
  }
}

const secretFields = ['token', 'authorization', 'cookie', 'password', 'api_key'].flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
])

function moveAside(file: string, older: string): void {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (stat && stat.size > fileBytesMax) renameSync(file, older)
}
