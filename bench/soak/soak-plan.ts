import { createHash } from 'node:crypto'
import { seededRandom } from '../../bff/domain/testing/seeded-random.ts'
import { type KindName, threadShapes } from './prompt-kinds.ts'
import type { SoakOptions } from './soak-options.ts'

export interface PlannedPrompt {
  /** Minted by the client, as the page does: it is the idempotency key. */
  id: string
  kind: KindName
  text: string
  /** The prompt it continues. */
  parentId: string | null
  priority: number
  /** Which server is asked first; every further try asks the next one. */
  server: number
  /** For kinds that cancel: how long after what they wait for. */
  actAfterMs: number
  /** Sent once more after it was accepted: the same ids have to come back. */
  sentTwice: boolean
}

/** A kill comes with the n-th tick, or once so many prompts have settled. */
export interface PlannedKill {
  /** Which of the workers. */
  victim: number
  atSettled: number | null
}

/** Everything that happens in a soak: a pure function of its options, whose digest says that two soaks are the same. */
export interface SoakPlan {
  options: SoakOptions
  threads: PlannedPrompt[][]
  kills: PlannedKill[]
  /** Counts of settled prompts at which PostgreSQL crashes. */
  restarts: number[]
  /** Counts of settled prompts at which the clients of the streams leave and come back by their cursor. */
  reconnects: number[]
  digest: string
}

/** As many ticks as an hour of the fastest kills has; beyond it the victims repeat. */
const ticksMax = 36_000
const racingMsMax = 50
const reconnectsPerSoak = 6

export function planSoak(options: SoakOptions): SoakPlan {
  const random = seededRandom(options.seed)
  const below = (count: number): number => Math.floor(random() * count)
  const threads = shuffled(kindsOfThreads(options.prompts), below).map((kinds, index) =>
    planThread(kinds, index, options, { random, below }),
  )
  const kills = Array.from({ length: options.kills ?? ticksMax }, (_, index) => ({
    victim: below(options.workers),
    atSettled: options.kills === null ? null : spread(index, options.kills, options.prompts, random),
  }))
  const moments = (count: number): number[] =>
    Array.from({ length: count }, (_, index) => spread(index, count, options.prompts, random))
  const plan = {
    options,
    threads,
    kills,
    restarts: moments(options.restarts),
    reconnects: moments(reconnectsPerSoak),
  }
  return { ...plan, digest: createHash('sha256').update(JSON.stringify(plan)).digest('hex') }
}

/** Every kind at least once, so that a small soak is a whole one. */
function kindsOfThreads(prompts: number): (readonly KindName[])[] {
  const threads = threadShapes.flatMap(({ kinds, share }) =>
    Array.from({ length: Math.max(1, Math.round((share * prompts) / kinds.length)) }, () => kinds),
  )
  const rest = prompts - threads.flat().length
  if (rest < 0) throw new Error(`a soak has more kinds than ${prompts} prompts`)
  return [...threads, ...Array.from({ length: rest }, (): KindName[] => ['fast'])]
}

interface Dice {
  random: () => number
  below: (count: number) => number
}

function planThread(
  kinds: readonly KindName[],
  index: number,
  { seed, servers }: SoakOptions,
  { random, below }: Dice,
): PlannedPrompt[] {
  const ids = kinds.map(() => seededUuid(below))
  return kinds.map((kind, place) => ({
    id: ids[place] ?? '',
    kind,
    text: `Soak ${seed}, thread ${index}, prompt ${place}`,
    parentId: ids[place - 1] ?? null,
    priority: 40 + 10 * below(3),
    server: below(servers),
    actAfterMs: below(racingMsMax + 1),
    sentTwice: random() < 0.05,
  }))
}

/** The `index`-th of `count` moments, each in its own part of the middle nine tenths. */
function spread(index: number, count: number, total: number, random: () => number): number {
  return Math.floor(total * (0.05 + (0.9 * (index + random())) / count))
}

function seededUuid(below: (count: number) => number): string {
  const bytes = Array.from({ length: 16 }, () => below(256))
  const set = (at: number, keep: number, mark: number): void => {
    bytes[at] = ((bytes[at] ?? 0) & keep) | mark
  }
  set(6, 0x0f, 0x40)
  set(8, 0x3f, 0x80)
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

function shuffled<Item>(items: Item[], below: (count: number) => number): Item[] {
  const left = [...items]
  return items.flatMap(() => left.splice(below(left.length), 1))
}
