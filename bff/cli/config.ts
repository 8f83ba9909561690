import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { defaultDeadlines } from '../domain/deadlines.ts'
import { DomainError } from '../domain/errors.ts'
import {
  type Setting,
  type SettingKey,
  type SettingValues,
  settingsTable,
} from './settings/settings-table.ts'

export type SettingSource = 'environment' | 'file' | 'default'

/** Everything that may be set, read once: paths are absolute, and what depends on another setting is worked out. */
export interface Config extends Omit<SettingValues, 'configFile' | 'heartbeatMs' | 'orgConcurrency'> {
  heartbeatMs: number
  orgConcurrency: number
  /** The settings file that was read, null when there is none. */
  configFile: string | null
  sources: Readonly<Record<SettingKey, SettingSource>>
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads every setting: the environment over the file over the default. An empty variable counts as unset.
 *
 * @throws DomainError `invalid_settings` naming the variable or key that is unknown or malformed,
 *   `accounts_required` for a host beyond this machine.
 */
export function readConfig(environment: Environment = process.env): Config {
  rejectUnknownVariables(environment)
  const start = environment.INIT_CWD || process.cwd()
  const fromEnvironment = parseAll((setting) => trimmed(environment[setting.name]), 'environment')
  const dataDir = absolute(fromEnvironment.dataDir ?? settingsTable.dataDir.fallback, start)
  const named = fromEnvironment.configFile
  const configFile = named == null ? join(dataDir, 'mission.config.json') : absolute(named, start)
  const file = readSettingsFile(configFile, named != null)
  const fromFile = parseAll((setting) => file?.get(setting.name), 'file', configFile)

  const values = { ...defaultValues(), ...fromFile, ...fromEnvironment, dataDir }
  rejectForeignHost(values.host)
  return {
    ...values,
    heartbeatMs: values.heartbeatMs ?? Math.min(defaultDeadlines.heartbeatMs, Math.ceil(values.leaseMs / 10)),
    orgConcurrency: values.orgConcurrency ?? values.concurrency,
    configFile: file ? configFile : null,
    sources: sourcesOf(fromEnvironment, fromFile),
  }
}

/** How a setting may be spelled in the settings file: `port`, or `MISSION_PORT` as in the environment. */
export function fileKeyOf(setting: Pick<Setting<unknown>, 'name'>): string {
  return setting.name.replace(/^MISSION_/, '').toLowerCase()
}

const settings = Object.entries(settingsTable)

/** Of our own tooling (tests, Vite); the programs that it starts inherit them. */
const notSettings: ReadonlySet<string> = new Set(['MISSION_CHROMIUM', 'MISSION_DEV_SERVER'])

function rejectUnknownVariables(environment: Environment): void {
  const known = new Set(settings.map(([, setting]) => setting.name))
  const unknown = Object.keys(environment).filter(
    (name) => name.startsWith('MISSION_') && !known.has(name) && !notSettings.has(name),
  )
  if (unknown.length === 0) return
  throw invalid(`${unknown.sort().join(', ')}: there is no such setting.`)
}

/** The values that are there, checked; an absent or empty one is left out. */
function parseAll(
  read: (setting: Setting<unknown>) => unknown,
  source: SettingSource,
  file?: string,
): Partial<SettingValues> {
  const parsed = settings.flatMap(([key, setting]) => {
    const raw = read(setting)
    if (raw === undefined || raw === '') return []
    const result = setting.kind.schema.safeParse(textOf(raw))
    // The value itself stays unsaid: it may be a secret.
    const where = source === 'file' ? `${fileKeyOf(setting)} in ${file}` : setting.name
    if (!result.success) throw invalid(`${where} must be ${setting.kind.expects}.`)
    return [[key, result.data]]
  })
  return asValues<Partial<SettingValues>>(Object.fromEntries(parsed))
}

/** @returns raw values by environment name; null when there is no file and none has to be. */
function readSettingsFile(file: string, mustExist: boolean): Map<string, unknown> | null {
  const text = readIfThere(file, mustExist)
  if (text === null) return null
  const content = parseObject(text, file)
  const values = new Map<string, unknown>()
  for (const [key, value] of Object.entries(content)) {
    const setting = settings.map(([, one]) => one).find((one) => key === one.name || key === fileKeyOf(one))
    if (!setting) throw invalid(`${key} in ${file}: there is no such setting.`)
    if (setting.environmentOnly) throw invalid(`${key} in ${file} can only be set as ${setting.name}.`)
    if (values.has(setting.name)) throw invalid(`${key} in ${file} is there twice.`)
    values.set(setting.name, value)
  }
  return values
}

function readIfThere(file: string, mustExist: boolean): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if ((code === 'ENOENT' || code === 'ENOTDIR') && !mustExist) return null
    const why = code === 'ENOENT' ? 'does not exist' : 'cannot be read'
    throw invalid(`${mustExist ? 'MISSION_CONFIG: ' : ''}${file} ${why}.`)
  }
}

function parseObject(text: string, file: string): object {
  try {
    const content: unknown = JSON.parse(text)
    if (typeof content === 'object' && content !== null && !Array.isArray(content)) return content
  } catch {
    // Falls through: the parser's words would quote the file, which may hold keys.
  }
  throw invalid(`${file} must hold one JSON object.`)
}

/** A file may say `7410` or `true` where the environment has only text; anything deeper is malformed. */
function textOf(raw: unknown): string | null {
  if (typeof raw === 'string') return raw
  return typeof raw === 'number' || typeof raw === 'boolean' ? String(raw) : null
}

function trimmed(text: string | undefined): string | undefined {
  return text?.trim() || undefined
}

function absolute(path: string, start: string): string {
  const home = /^~(?=$|[\\/])/
  return home.test(path) ? path.replace(home, () => homedir()) : resolve(start, path)
}

function rejectForeignHost(host: string): void {
  if (/^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1|\[::1\])$/i.test(host)) return
  throw new DomainError(
    'accounts_required',
    `MISSION_HOST ${host} is beyond this machine, and serving others needs accounts, which this version does not have.`,
  )
}

function sourcesOf(
  fromEnvironment: Partial<SettingValues>,
  fromFile: Partial<SettingValues>,
): Record<SettingKey, SettingSource> {
  const source = (key: string): SettingSource =>
    key in fromEnvironment ? 'environment' : key in fromFile ? 'file' : 'default'
  return asValues(Object.fromEntries(settings.map(([key]) => [key, source(key)])))
}

function defaultValues(): SettingValues {
  return asValues(Object.fromEntries(settings.map(([key, setting]) => [key, setting.fallback])))
}

/** The object was built from the table's own keys, each value by its setting's schema or fallback. */
function asValues<Values>(built: Record<string, unknown>): Values {
  return built as Values
}

function invalid(message: string): DomainError {
  return new DomainError('invalid_settings', message)
}
