import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { migrate } from '../../bff/store/database/migrate.ts'
import { openPostgres } from '../../bff/store/database/postgres/open-postgres.ts'
import { startPostgres } from '../../bff/store/testing/start-postgres.ts'
import { rounded } from '../percentiles.ts'
import { claimCost } from './claim-cost.ts'
import { floorOnOurTables, floorQueue } from './floor.ts'
import { measureQueue, type QueueFigures, type QueueSpec } from './measure-queue.ts'
import { ourQueue } from './ours.ts'
import { statementsOfAJob } from './statements-of-a-job.ts'

const spec: QueueSpec = {
  jobs: Number(process.env.BENCH_QUEUE_JOBS ?? 2_000),
  many: 5,
  latencySamples: 200,
  concurrencies: [1, 10, 24],
}

/**
 * The engine beside the bare floor and two queues for PostgreSQL, all in one run on one server (`synchronous_commit` off,
 * as `PEERS` figures are usually given, so that what is measured is the queues and not the disk). Ratios are what counts.
 */
export async function benchQueue(): Promise<Record<string, unknown>> {
  const server = await startPostgres({
    fsync: true,
    settings: { synchronous_commit: 'off', shared_preload_libraries: 'pg_stat_statements' },
  })
  try {
    const floor = await onScratch(server.url, 'floor', async (url) => measured(await floorQueue(url)))
    const onTables = await onScratch(server.url, 'floor_on_our_tables', async (url) => {
      const database = await openPostgres({ url })
      await migrate(database)
      await database.close()
      return measured(await floorOnOurTables(url))
    })
    const ours = await onScratch(server.url, 'ours', async (url) => measured(await ourQueue(url)))
    const peers: Record<string, unknown> = {}
    for (const folder of ['node20', 'node22']) {
      for (const name of ['graphile-worker', 'pg-boss']) {
        peers[`${name} on ${folder}`] = await onScratch(
          server.url,
          `${folder}_${name.replace('-', '_')}`,
          (url) => peer(folder, name, url),
        )
      }
    }
    return {
      floor,
      'floor on our tables': onTables,
      'mission field': ours,
      'against the floor': ratios(ours, floor),
      'against the floor on our tables': ratios(ours, onTables),
      peers,
      statements: await onScratch(server.url, 'statements', statementsOfAJob),
      claim: await onScratch(server.url, 'claim', claimCost),
    }
  } finally {
    await server.stop()
  }
}

async function measured(queue: Awaited<ReturnType<typeof floorQueue>>): Promise<QueueFigures> {
  try {
    const figures = await measureQueue(queue, spec)
    console.error(queue.name, JSON.stringify(figures))
    return figures
  } finally {
    await queue.close()
  }
}

function ratios(ours: QueueFigures, floor: QueueFigures): Record<string, unknown> {
  const of = (mine: Record<string, number>, least: Record<string, number>) =>
    Object.fromEntries(
      Object.entries(mine).map(([key, value]) => [key, rounded(value / (least[key] ?? Number.NaN))]),
    )
  return {
    'enqueue, ours / floor': of(ours.enqueue, floor.enqueue),
    'processed, ours / floor': of(ours.processed, floor.processed),
    'start p50, ours / floor': rounded(ours.startMs.p50 / floor.startMs.p50),
    'start p99, ours / floor': rounded(ours.startMs.p99 / floor.startMs.p99),
  }
}

async function onScratch<T>(serverUrl: string, name: string, work: (url: string) => Promise<T>): Promise<T> {
  const admin = postgres(serverUrl, { max: 1, onnotice: () => {} })
  const database = `bench_${name}_test`
  await admin.unsafe(`create database ${database}`)
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  try {
    return await work(url.href)
  } finally {
    await admin.unsafe(`drop database ${database} with (force)`)
    await admin.end()
  }
}

const execute = promisify(execFile)

/** A peer's own figures, or why there are none: its packages are fetched when they are first needed. */
async function peer(folder: string, name: string, url: string): Promise<unknown> {
  const home = join(dirname(fileURLToPath(import.meta.url)), 'peers', folder)
  try {
    if (!existsSync(join(home, 'node_modules')))
      await execute('npm', ['ci', '--foreground-scripts'], { cwd: home })
    const own = join(home, 'node_modules/.bin/node')
    const node = existsSync(own) ? own : process.execPath
    const args = [join(home, '../run-peer.mjs'), name, JSON.stringify({ ...spec, url })]
    const { stdout } = await execute(node, args, { cwd: home, timeout: 300_000 })
    console.error(folder, name, stdout.trim())
    return JSON.parse(stdout)
  } catch (error) {
    return { failed: String(error instanceof Error ? error.message : error).slice(0, 300) }
  }
}
