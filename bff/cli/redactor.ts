import type { Config } from './config.ts'
import { settingsTable } from './settings/settings-table.ts'

export const censored = '[redacted]'

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
