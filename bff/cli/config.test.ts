import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { DomainError } from '../domain/errors.ts'
import { readConfig } from './config.ts'
import { type SettingKey, settingsTable } from './settings/settings-table.ts'

function setup(file?: unknown) {
  const dataDir = mkdtempSync(join(tmpdir(), 'mission-config-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
  const settingsFile = join(dataDir, 'mission.config.json')
  if (file !== undefined) writeFileSync(settingsFile, typeof file === 'string' ? file : JSON.stringify(file))
  const read = (environment: Record<string, string> = {}) =>
    readConfig({ MISSION_DATA_DIR: dataDir, ...environment })
  return { dataDir, settingsFile, read }
}

function refusal(read: () => unknown): DomainError {
  try {
    read()
  } catch (error) {
    if (error instanceof DomainError) return error
    throw error
  }
  throw new Error('it was accepted')
}

interface Sample {
  valid: [text: string, value: unknown]
  invalid: string[]
}

const anyMs = (value: number): Sample => ({
  valid: [String(value), value],
  invalid: ['-1', '1.5', '1e3', 'soon', '99999999999'],
})

/** Typed by key, so that a setting without a sample does not compile. */
const samples = {
  dataDir: { valid: ['/srv/field', '/srv/field'], invalid: ['a\nb'] },
  configFile: { valid: ['', null], invalid: ['a\nb'] },
  host: { valid: ['localhost', 'localhost'], invalid: ['two words'] },
  port: { valid: ['0', 0], invalid: ['-1', '65536', '80a', '7410.5', 'http'] },
  databaseUrl: {
    valid: ['postgresql://a@b/c', 'postgresql://a@b/c'],
    invalid: ['mysql://a/b', 'localhost', 'b/c'],
  },
  diskSync: { valid: ['off', false], invalid: ['maybe', '2', 'ON!'] },
  concurrency: { valid: ['3', 3], invalid: ['0', '1001', 'many'] },
  orgConcurrency: { valid: ['2', 2], invalid: ['0', '-4'] },
  heartbeatMs: anyMs(50),
  leaseMs: anyMs(500),
  silenceMs: anyMs(700),
  ceilingMs: anyMs(900),
  firstHealthMs: anyMs(800),
  backoffScale: { valid: ['0.05', 0.05], invalid: ['-1', 'half', '1e-3', 'NaN', 'Infinity'] },
  agingMs: anyMs(0),
  pollMs: anyMs(250),
  drainMs: anyMs(0),
  submitsPerMinute: { valid: ['1000000', 1_000_000], invalid: ['0', 'all'] },
  eventCoalesceMs: { valid: ['0', 0], invalid: ['6', '-1'] },
  controlSpacingMs: anyMs(100),
  awayMs: anyMs(1_000),
  retentionDays: { valid: ['7', 7], invalid: ['0', '36501', '1.5', 'month'] },
  model: { valid: ['qwen3:8b', 'qwen3:8b'], invalid: ['two words'] },
  openaiBaseUrl: {
    valid: ['http://127.0.0.1:11434/v1', 'http://127.0.0.1:11434/v1'],
    invalid: ['ftp://a', '127.0.0.1:11434'],
  },
  openaiApiKey: { valid: ['sk-1', 'sk-1'], invalid: ['s k'] },
  anthropicApiKey: { valid: ['sk-2', 'sk-2'], invalid: ['s k'] },
  googleApiKey: { valid: ['sk-3', 'sk-3'], invalid: ['s k'] },
} satisfies Record<SettingKey, Sample>

const rows = Object.entries(settingsTable).map(([key, setting]) => ({ key, setting, name: setting.name }))
const sampleByKey = new Map<string, Sample>(Object.entries(samples))

function sampleOf(key: string): Sample {
  const sample = sampleByKey.get(key)
  if (!sample) throw new Error(`no sample for ${key}`)
  return sample
}

test.for(rows)('$name is read', ({ key, name }) => {
  const [text, value] = sampleOf(key).valid
  expect(setup().read({ [name]: text })).toMatchObject({ [key]: value })
})

test.for(rows)('a malformed $name is refused by name, its value unsaid', ({ key, name }) => {
  const { invalid } = sampleOf(key)
  expect(invalid.length).toBeGreaterThan(0)
  for (const text of invalid) {
    const { code, message } = refusal(() => setup().read({ [name]: text }))
    expect(code).toBe('invalid_settings')
    expect(message).toMatch(new RegExp(`^${name} must be `))
    expect(message).not.toContain('\n')
  }
})

test.for(rows.filter(({ setting }) => !setting.environmentOnly))(
  '$name comes from the file under either spelling, and the environment wins',
  ({ key, name }) => {
    const [text, value] = sampleOf(key).valid
    const short = name.replace('MISSION_', '').toLowerCase()
    expect(setup({ [short]: text }).read()).toMatchObject({ [key]: value })
    expect(setup({ [name]: text }).read().sources).toMatchObject({ [key]: 'file' })
    const both = setup({ [short]: 'surely / malformed \n' })
    expect(refusal(() => both.read({ [name]: text })).message).toContain(short)
    expect(setup({ [short]: text }).read({ [name]: text }).sources).toMatchObject({ [key]: 'environment' })
  },
)

test('without any setting the defaults of the contract hold', () => {
  const { HOME, ...config } = { HOME: homedir(), ...readConfig({}) }
  expect(config).toMatchObject({
    dataDir: join(HOME, '.mission-field'),
    host: '127.0.0.1',
    port: 7410,
    databaseUrl: null,
    diskSync: true,
    concurrency: 8,
    orgConcurrency: 8,
    heartbeatMs: 30_000,
    leaseMs: 300_000,
    silenceMs: 180_000,
    ceilingMs: null,
    backoffScale: 1,
    agingMs: 6_000,
    pollMs: 2_000,
    firstHealthMs: 60_000,
    drainMs: 10_000,
    submitsPerMinute: 1_200,
    controlSpacingMs: 15_000,
    awayMs: 600_000,
    retentionDays: 30,
    model: null,
  })
  expect(config.eventCoalesceMs).toBeLessThanOrEqual(5)
})

test('an unknown MISSION_ variable is refused by name, anything else is left alone', () => {
  const { code, message } = refusal(() => setup().read({ MISSION_PROT: '1', PORT: 'x' }))
  expect({ code, message }).toEqual({
    code: 'invalid_settings',
    message: 'MISSION_PROT: there is no such setting.',
  })
})

test('an unknown key of the file is refused by name', () => {
  const { settingsFile, read } = setup({ port: 1, prot: 2 })
  expect(refusal(read).message).toBe(`prot in ${settingsFile}: there is no such setting.`)
})

test.for([['{'], ['[]'], ['null'], ['"port"'], ['']])('a file that holds %s is refused by name', ([text]) => {
  const { settingsFile, read } = setup(text)
  expect(refusal(read).message).toBe(`${settingsFile} must hold one JSON object.`)
})

test('a file may use JSON’s own numbers and booleans, and nothing deeper', () => {
  expect(setup({ port: 7500, disk_sync: false }).read()).toMatchObject({ port: 7500, diskSync: false })
  expect(refusal(setup({ port: { value: 1 } }).read).message).toContain('port in ')
  expect(refusal(setup({ port: null }).read).message).toContain('port in ')
})

test('the file cannot say where it is itself', () => {
  expect(refusal(setup({ data_dir: '/elsewhere' }).read).message).toContain('MISSION_DATA_DIR')
  expect(refusal(setup({ port: 1, MISSION_PORT: 2 }).read).message).toContain('twice')
})

test('a file named by MISSION_CONFIG has to exist', () => {
  const { dataDir, read } = setup()
  const missing = join(dataDir, 'none.json')
  expect(refusal(() => read({ MISSION_CONFIG: missing })).message).toBe(
    `MISSION_CONFIG: ${missing} does not exist.`,
  )
})

test('an empty or blank variable counts as unset', () => {
  expect(setup({ port: 7500 }).read({ MISSION_PORT: ' ', MISSION_MODEL: '' })).toMatchObject({
    port: 7500,
    model: null,
  })
})

test('relative paths start where the person typed, ~ is their home', () => {
  expect(readConfig({ INIT_CWD: '/srv', MISSION_DATA_DIR: 'field' }).dataDir).toBe('/srv/field')
  expect(readConfig({ MISSION_DATA_DIR: 'field' }).dataDir).toBe(join(process.cwd(), 'field'))
  expect(readConfig({ MISSION_DATA_DIR: '~/field' }).dataDir).toBe(join(homedir(), 'field'))
})

test('a short lease brings its heartbeats along, an explicit heartbeat stays', () => {
  expect(setup().read({ MISSION_LEASE_MS: '2000' }).heartbeatMs).toBe(200)
  expect(setup().read({ MISSION_LEASE_MS: '2000', MISSION_HEARTBEAT_MS: '1500' }).heartbeatMs).toBe(1_500)
})

test.for(['0.0.0.0', '::', '192.168.1.20', 'example.com', '128.0.0.1'])(
  'a host beyond this machine needs accounts: %s',
  (host) => {
    const { code, message } = refusal(() => setup().read({ MISSION_HOST: host }))
    expect(code).toBe('accounts_required')
    expect(message).toContain(host)
  },
)

test.for(['127.0.0.1', '127.0.0.53', '::1', 'localhost'])('%s is this machine', (host) => {
  expect(setup().read({ MISSION_HOST: host }).host).toBe(host)
})
