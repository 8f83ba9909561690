import type { DoctorAnswer } from '../../http/admin-contract.ts'
import type { Config } from '../config.ts'
import type { Product } from '../wire.ts'
import { databaseFacts } from './database-facts.ts'
import { answerOf, machineChecks } from './machine-checks.ts'

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
    ...(storage.kind === 'postgres' ? [signalsCheck(product)] : []),
    providerCheck(product),
    deadlineCheck(config),
  ])
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
      ok: ok || null,
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

function signalsCheck({ storage, config }: Product): Check {
  const name = 'signals'
  if (!storage.hearsOthers()) {
    return {
      name,
      ok: false,
      says: `A NOTIFY of our own did not come back, so processes do not hear of one another: a pooler in transaction mode swallows them. Each looks by itself every ${config.pollMs} ms instead (MISSION_POLL_MS): jobs start and stop that much later, text as it arrives is not shown across processes, and an idle server is never quite idle. Give DATABASE_URL a direct address.`,
    }
  }
  return {
    name,
    ok: true,
    says: 'LISTEN and NOTIFY work. A connection that dies without a word is noticed after up to 11 minutes; what was missed is looked for then.',
  }
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
