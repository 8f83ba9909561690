import { defaultDeadlines } from '../../domain/deadlines.ts'
import {
  address,
  decimal,
  milliseconds,
  oneWord,
  onOff,
  path,
  type SettingKind,
  wholeNumber,
} from './setting-kinds.ts'

/** One setting: its fixed name in the environment, how its text is read, and what a person needs to know of it. */
export interface Setting<Value> {
  name: string
  kind: SettingKind<Value>
  /** The value when nobody sets it; `defaultText` says it in words where it depends on something. */
  fallback: Value | null
  defaultText: string
  meaning: string
  /** Never printed, logged or returned. */
  secret: boolean
  /** Read before the settings file is found, so the file cannot hold it. */
  environmentOnly: boolean
}

/**
 * Every setting there is. Parsing, `mission settings` and the README's table all read this; a name that is not here
 * is refused. Names and numbers are a public contract.
 */
export const settingsTable = {
  dataDir: need(path, 'MISSION_DATA_DIR', '~/.mission-field', 'Folder of the data, the lock, the log.', {
    environmentOnly: true,
  }),
  configFile: may(path, 'MISSION_CONFIG', 'Settings file.', {
    defaultText: 'mission.config.json in the data directory',
    environmentOnly: true,
  }),
  host: need(
    oneWord,
    'MISSION_HOST',
    '127.0.0.1',
    'Address to listen on; loopback until there are accounts.',
  ),
  port: need(wholeNumber(0, 65_535), 'MISSION_PORT', 7410, 'Port to listen on; 0 takes a free one.'),
  databaseUrl: may(address('postgres', 'postgresql'), 'DATABASE_URL', 'PostgreSQL to use instead.', {
    defaultText: 'the embedded database',
    secret: true,
  }),
  diskSync: need(
    onOff,
    'MISSION_DISK_SYNC',
    true,
    'Whether each commit of the embedded database is fsynced.',
  ),
  concurrency: need(
    wholeNumber(1, 1_000),
    'MISSION_WORKER_CONCURRENCY',
    8,
    'Attempts a worker runs at once.',
  ),
  orgConcurrency: may(wholeNumber(1, 10_000), 'MISSION_ORG_CONCURRENCY', 'Attempts an org runs at once.', {
    defaultText: 'the same as MISSION_WORKER_CONCURRENCY',
  }),
  heartbeatMs: may(milliseconds(10), 'MISSION_HEARTBEAT_MS', 'Time between signs of life of an attempt.', {
    defaultText: `${defaultDeadlines.heartbeatMs}, or a tenth of a shorter lease`,
  }),
  leaseMs: need(
    milliseconds(10),
    'MISSION_LEASE_MS',
    defaultDeadlines.leaseMs,
    'Silence after which an attempt counts as lost and its job is reclaimed.',
  ),
  silenceMs: need(
    milliseconds(),
    'MISSION_SILENCE_MS',
    defaultDeadlines.silenceMs,
    'How long a provider may say nothing before an attempt times out.',
  ),
  ceilingMs: may(milliseconds(), 'MISSION_CEILING_MS', 'Longest run of an attempt, whatever its budget.', {
    defaultText: '900000 (quick, unknown) or 2700000 (medium)',
  }),
  firstHealthMs: need(
    milliseconds(),
    'MISSION_FIRST_HEALTH_MS',
    defaultDeadlines.firstHealthMs,
    'When an attempt without any sign of health is flagged for review.',
  ),
  backoffScale: need(decimal(0, 1_000), 'MISSION_BACKOFF_SCALE', 1, 'Factor on our own retry delays.'),
  agingMs: need(milliseconds(0), 'MISSION_AGING_MS', 6_000, 'Head start of one step of priority.'),
  pollMs: need(
    milliseconds(100),
    'MISSION_POLL_MS',
    2_000,
    'How often to look without a signal, where a pooler swallows them.',
  ),
  drainMs: need(milliseconds(0), 'MISSION_DRAIN_MS', 10_000, 'Time that an end by SIGTERM may take.'),
  submitsPerMinute: need(
    wholeNumber(1, 1_000_000_000),
    'MISSION_SUBMITS_PER_MINUTE',
    1_200,
    'Submits a session may make in a minute.',
  ),
  eventCoalesceMs: need(
    wholeNumber(0, 5),
    'MISSION_EVENT_COALESCE_MS',
    5,
    'How long the stream gathers events before it sends them, in ms.',
  ),
  controlSpacingMs: need(
    milliseconds(0),
    'MISSION_CONTROL_SPACING_MS',
    15_000,
    'Least time between two passes of one maintenance duty.',
  ),
  awayMs: need(milliseconds(0), 'MISSION_AWAY_MS', 600_000, 'Absence after which the digest opens.'),
  retentionDays: need(
    wholeNumber(1, 36_500),
    'MISSION_RETENTION_DAYS',
    30,
    'Days after which archive-old-jobs takes a replaced job, where no date is given.',
  ),
  model: may(oneWord, 'MISSION_MODEL', 'Model for prompts that name none.', {
    defaultText: 'the first that the provider offers',
  }),
  openaiBaseUrl: may(
    address('http', 'https'),
    'OPENAI_BASE_URL',
    'OpenAI-compatible server, its /v1 included; chat completions are used there.',
    { defaultText: 'OpenAI’s own with a key, else a server found on this machine' },
  ),
  openaiApiKey: secretKey('OPENAI_API_KEY', 'Key for that server.'),
  anthropicApiKey: secretKey('ANTHROPIC_API_KEY', 'Accepted; no adapter uses it yet.'),
  googleApiKey: secretKey('GOOGLE_GENERATIVE_AI_API_KEY', 'Accepted; no adapter uses it yet.'),
}

export type SettingKey = keyof typeof settingsTable

/** The value of every setting; null where it has no fixed default and nobody set it. */
export type SettingValues = {
  [Key in SettingKey]: (typeof settingsTable)[Key] extends Setting<infer Value>
    ? (typeof settingsTable)[Key]['fallback'] extends null
      ? Value | null
      : Value
    : never
}

type Extra = Partial<Pick<Setting<unknown>, 'defaultText' | 'secret' | 'environmentOnly'>>

function need<Value extends string | number | boolean>(
  kind: SettingKind<Value>,
  name: string,
  fallback: Value,
  meaning: string,
  extra: Extra = {},
): Setting<Value> & { fallback: Value } {
  const defaultText = typeof fallback === 'boolean' ? (fallback ? 'on' : 'off') : String(fallback)
  return { name, kind, fallback, defaultText, meaning, secret: false, environmentOnly: false, ...extra }
}

function may<Value>(
  kind: SettingKind<Value>,
  name: string,
  meaning: string,
  extra: Extra = {},
): Setting<Value> & { fallback: null } {
  return {
    name,
    kind,
    fallback: null,
    defaultText: 'none',
    meaning,
    secret: false,
    environmentOnly: false,
    ...extra,
  }
}

function secretKey(name: string, meaning: string): Setting<string> & { fallback: null } {
  return may(oneWord, name, meaning, { secret: true })
}
