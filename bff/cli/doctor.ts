import { lstat, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { DoctorAnswer } from '../http/admin-contract.ts'
import type { Config } from './config.ts'
import { databaseFacts } from './database-facts.ts'
import { version } from './product-folder.ts'
import type { Product } from './wire.ts'

type Check = DoctorAnswer['checks'][number]

/** What an operator should know of a product with its data open: how it is set up, and what that guarantees. */
export async function examine(product: Product): Promise<DoctorAnswer> {
  const { config, execution, migration, storage } = product
  const database = await databaseFacts(execution.database)
  return answerOf([
    ...(await machineChecks(config)),
    { name: 'database', ok: true, says: `${database.name}, ${placeOf(config, storage.directory)}.` },
    durability(product, database),
    holderOf(product),
    {
      name: 'migrations',
      ok: true,
      says: `Up to date${migration.applied > 0 ? `, ${migration.applied} applied just now` : ''}.`,
    },
    { name: 'epoch', ok: true, says: `${migration.epoch}.` },
    ...(storage.kind === 'postgres' ? [listenNote] : []),
    providerCheck(product),
    deadlineCheck(config),
  ])
}

/** What can be told without the data. */
export async function machineChecks(config: Config): Promise<Check[]> {
  const changed = Object.values(config.sources).filter((source) => source !== 'default').length
  return [
    { name: 'version', ok: true, says: `Mission Field ${version}.` },
    nodeCheck(process.versions.node),
    {
      name: 'settings',
      ok: true,
      says: `${changed} set, the others as they come; file: ${config.configFile ?? 'none'}. mission settings lists them.`,
    },
    await folderCheck(config.dataDir),
  ]
}

/** Well unless something is known to be wrong; what could not be told is no fault. */
export function answerOf(checks: Check[]): DoctorAnswer {
  return { ok: checks.every(({ ok }) => ok !== false), checks }
}

function nodeCheck(node: string): Check {
  const [major = 0, minor = 0] = node.split('.').map(Number)
  const ok = major > 20 || (major === 20 && minor >= 19)
  return { name: 'node', ok, says: ok ? `${node}.` : `${node} is too old; 20.19 or newer is needed.` }
}

async function folderCheck(folder: string): Promise<Check> {
  const found = await stat(folder).catch(() => null)
  if (!found) return { name: 'data directory', ok: null, says: `${folder} is not there yet.` }
  const mode = found.mode & 0o777
  const size = megabytes(await bytesUnder(folder))
  const isPrivate = process.platform === 'win32' || (mode & 0o077) === 0
  const openness = isPrivate ? '' : `, and others may look into it: chmod 700 ${folder}`
  return {
    name: 'data directory',
    ok: isPrivate,
    says: `${folder}, ${size} MB, mode ${mode.toString(8)}${openness}.`,
  }
}

/** Files come and go while this looks. */
async function bytesUnder(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => [])
  const sizes = await Promise.all(
    entries.map(async (entry) => {
      const file = await lstat(join(entry.parentPath, entry.name)).catch(() => null)
      return file?.isFile() ? file.size : 0
    }),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1)
}

function placeOf(config: Config, directory: string | null): string {
  if (directory !== null) return directory
  const { host, pathname } = new URL(config.databaseUrl ?? 'postgres://')
  return `${pathname.slice(1) || 'the default database'} on ${host || 'this machine'}`
}

/** Measured facts and no more (`docs/architecture.md`, Storage). */
function durability({ storage }: Product, database: { fsync: boolean; synchronousCommit: string }): Check {
  const name = 'durability'
  if (!storage.sync) {
    const ok = database.fsync && database.synchronousCommit !== 'off'
    return {
      name,
      ok,
      says: ok
        ? 'PostgreSQL syncs each commit to its disk.'
        : `PostgreSQL runs with fsync ${database.fsync ? 'on' : 'off'} and synchronous_commit ${database.synchronousCommit}: a crash of its machine may lose accepted prompts.`,
    }
  }
  const common = 'An accepted prompt survives a crash or kill of the process'
  const limits =
    'power loss is untested; exactly one process may open the directory; for what must survive the machine, use PostgreSQL'
  switch (storage.sync.diskSync) {
    case 'verified':
      return { name, ok: true, says: `${common}; each commit is also fsynced, seen at start; ${limits}.` }
    case 'off':
      return {
        name,
        ok: null,
        says: `${common}; commits are not fsynced (MISSION_DISK_SYNC is off), so a crash of the machine may lose the last ones; ${limits}.`,
      }
    case 'unverified':
      return {
        name,
        ok: false,
        says: `${common}; fsync was asked for and not seen (${storage.sync.reason ?? 'no reason given'}), so a crash of the machine may lose the last commits; ${limits}.`,
      }
  }
}

function holderOf({ storage }: Product): Check {
  return storage.directory === null
    ? { name: 'lock', ok: true, says: 'None is needed: PostgreSQL serves many processes.' }
    : { name: 'lock', ok: true, says: `${storage.directory}.lock, held by process ${process.pid}.` }
}

const listenNote: Check = {
  name: 'signals',
  ok: null,
  says: 'Workers hear of new jobs by LISTEN. A connection that dies without a word is noticed after up to 11 minutes; behind a pooler in transaction mode it hears nothing, so give DATABASE_URL a direct address.',
}

function providerCheck({ execution, config }: Product): Check {
  const { provider, model } = execution.providers.default()
  const name = 'provider'
  if (provider.practice) {
    return {
      name,
      ok: null,
      says: 'Practice: no key, no OPENAI_BASE_URL, no model server on this machine. Its answers are artificial and labelled so.',
    }
  }
  const how =
    execution.providers.found ??
    (config.openaiBaseUrl === null
      ? 'by OPENAI_API_KEY'
      : `by OPENAI_BASE_URL, at ${hostOf(config.openaiBaseUrl)}`)
  return { name, ok: true, says: `${provider.id} (${how}), model ${model}.` }
}

function hostOf(address: string): string {
  return new URL(address).host
}

function deadlineCheck({ heartbeatMs, leaseMs }: Config): Check {
  const ok = heartbeatMs * 2 <= leaseMs
  return {
    name: 'deadlines',
    ok,
    says: ok
      ? `A heartbeat every ${heartbeatMs} ms, a lease of ${leaseMs} ms.`
      : `A heartbeat every ${heartbeatMs} ms is too rare for a lease of ${leaseMs} ms: living attempts would be reclaimed.`,
  }
}
