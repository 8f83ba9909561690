import { chmodSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { DomainError } from '../domain/errors.ts'
import type { Log } from '../domain/ports.ts'
import type { Config } from './config.ts'
import { settingsTable } from './settings/settings-table.ts'

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
    const destination = pino.destination({ dest: file, append: true, sync: false, mode: 0o600 })
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
          // It was never opened, or the disk is full.
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

const censored = '[redacted]'
const secretFields = ['token', 'authorization', 'cookie', 'password', 'api_key'].flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
])

/**
 * Takes secrets out of a finished line, wherever they stand: an error's text or stack may quote one. Ours are known by
 * value, others by the shape of a key.
 *
 * @returns a line that is JSON if the given one was.
 */
export function redactorOf(config: Config): (line: string) => string {
  const values = secretValuesOf(config)
  const shapes = /\b(sk-|Bearer )[\w.~+/-]{8,}=*|(\/login\/)[\w-]{16,}|(:\/\/[^\s:/@"\\]+:)[^\s@"\\]+(?=@)/g
  return (line) => {
    const known = values.reduce((text, value) => text.replaceAll(value, censored), line)
    return known.replace(shapes, (_all, key = '', link = '', user = '') => `${key}${link}${user}${censored}`)
  }
}

/** As they stand inside JSON, and never so short that ordinary words would vanish. */
function secretValuesOf(config: Config): string[] {
  const set = Object.entries(settingsTable).flatMap(([key, { secret }]) => {
    const value = new Map<string, unknown>(Object.entries(config)).get(key)
    return secret && typeof value === 'string' ? [value] : []
  })
  const passwords = [config.databaseUrl, config.openaiBaseUrl].flatMap((address) => {
    const written = address === null ? '' : new URL(address).password
    return written === '' ? [] : [written, decodeURIComponent(written)]
  })
  return [...set, ...passwords]
    .filter((value) => value.length >= 6)
    .map((value) => JSON.stringify(value).slice(1, -1))
    .sort((a, b) => b.length - a.length)
}

function moveAside(file: string, older: string): void {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat) return
  chmodSync(file, 0o600)
  if (stat.size > fileBytesMax) renameSync(file, older)
}
