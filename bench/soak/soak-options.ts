import { parseArgs } from 'node:util'

/** What a soak is asked for; together with nothing else it decides the plan. */
export interface SoakOptions {
  seed: number
  prompts: number
  /** `mission serve --no-worker` processes. */
  servers: number
  /** `mission run-worker` processes. */
  workers: number
  /** Time between two kills, unless `kills` ties them to progress. */
  killEveryMs: number
  /** So many kills, at seeded counts of settled prompts; null: one at every tick whose victim runs, until all have settled. */
  kills: number | null
  /** Crashes and restarts of PostgreSQL, at seeded counts of settled prompts. */
  restarts: number
  /** Threads under way at once; more are begun as others settle, so that submits go on through every disturbance. */
  window: number
}

export const soakDefaults: SoakOptions = {
  seed: 1,
  prompts: 2_000,
  servers: 2,
  workers: 3,
  killEveryMs: 1_000,
  kills: null,
  restarts: 2,
  window: 48,
}

const flags = {
  seed: 'seed',
  prompts: 'prompts',
  servers: 'servers',
  workers: 'workers',
  'kill-every-ms': 'killEveryMs',
  kills: 'kills',
  restarts: 'restarts',
  window: 'window',
} as const satisfies Readonly<Record<string, keyof SoakOptions>>

const least: SoakOptions = {
  seed: 0,
  prompts: 60,
  servers: 1,
  workers: 1,
  killEveryMs: 100,
  kills: 0,
  restarts: 0,
  window: 2,
}

/**
 * @param args as a person writes them, such as `--seed 7 --prompts 500`.
 * @throws Error naming the flag that is unknown or is no whole number large enough.
 */
export function readSoakOptions(args: readonly string[]): SoakOptions {
  const options = { ...soakDefaults }
  const known = Object.fromEntries(Object.keys(flags).map((name) => [name, { type: 'string' as const }]))
  const { values } = parseArgs({ args: args.filter((arg) => arg !== '--'), options: known })
  for (const [name, key] of Object.entries(flags)) {
    const text = values[name]
    if (text === undefined) continue
    const value = Number(text)
    const min = least[key] ?? 0
    if (!Number.isSafeInteger(value) || value < min) {
      throw new Error(`--${name} must be a whole number of ${min} or more`)
    }
    options[key] = value
  }
  return options
}
