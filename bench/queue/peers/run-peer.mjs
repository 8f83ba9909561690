/**
 * Measures one peer on one PostgreSQL and prints JSON: `node run-peer.mjs NAME SPEC`, in the folder that has the peer
 * installed. A program of its own, because the newest peers need a newer Node than ours.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const [name, text] = process.argv.slice(2)
const spec = JSON.parse(text)
const require = createRequire(`${process.cwd()}/`)
const versionOf = (module) => JSON.parse(readFileSync(`node_modules/${module}/package.json`, 'utf8')).version
const load = (module) => import(pathToFileURL(require.resolve(module)).href)
const peers = { 'graphile-worker': graphile, 'pg-boss': boss }
console.log(JSON.stringify(await measure(await peers[name]())))
process.exit(0)

async function measure(queue) {
  const perSecond = async (count, work) => {
    const start = performance.now()
    await work()
    return Math.round((count / (performance.now() - start)) * 1_000)
  }
  const { jobs, many, latencySamples, concurrencies } = spec
  const enqueue = {
    one: await perSecond(jobs, async () => {
      for (let n = 0; n < jobs; n++) await queue.enqueue()
    }),
    ten: await perSecond(jobs, () =>
      Promise.all(
        Array.from({ length: 10 }, async () => {
          for (let n = 0; n < jobs / 10; n++) await queue.enqueue()
        }),
      ),
    ),
    'batches of 1000': await perSecond(many * 1_000, async () => {
      for (let n = 0; n < many; n++) await queue.enqueueMany(1_000)
    }),
  }
  const processed = {}
  for (const concurrency of concurrencies) {
    await queue.clear()
    await queue.enqueueMany(jobs)
    processed[concurrency] = await perSecond(jobs, () => queue.process(concurrency, jobs))
  }
  await queue.clear()
  const latency = []
  let started = () => {}
  const follower = await queue.follow(() => started())
  for (let n = 0; n < latencySamples; n++) {
    const start = new Promise((resolve) => (started = resolve))
    await queue.enqueue()
    const committed = performance.now()
    await start
    latency.push(Math.max(0, performance.now() - committed))
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await follower.stop()
  await queue.close()
  latency.sort((a, b) => a - b)
  const at = (part) => Math.round((latency[Math.ceil(latency.length * part) - 1] ?? 0) * 100) / 100
  return {
    version: queue.version,
    node: process.version,
    enqueue,
    processed,
    startMs: { p50: at(0.5), p99: at(0.99) },
  }
}

async function graphile() {
  const { makeWorkerUtils, run, Logger } = await load('graphile-worker')
  const { default: pg } = await load('pg')
  const pool = new pg.Pool({ connectionString: spec.url, max: 40 })
  const logger = new Logger(() => () => {})
  const utils = await makeWorkerUtils({ pgPool: pool, logger })
  await utils.migrate()
  const many = (count) =>
    pool.query(
      `select graphile_worker.add_jobs(array(select row('work', '{}'::json, null, null, null, null, null, null)::graphile_worker.job_spec
        from generate_series(1, $1)))`,
      [count],
    )
  return {
    version: versionOf('graphile-worker'),
    enqueue: () => utils.addJob('work', {}),
    enqueueMany: many,
    async process(concurrency, jobs) {
      let left = jobs
      let done = () => {}
      const finished = new Promise((resolve) => (done = resolve))
      const runner = await run({
        pgPool: pool,
        logger,
        concurrency,
        noHandleSignals: true,
        taskList: {
          work: () => {
            left -= 1
            if (left === 0) done()
          },
        },
      })
      await finished
      await runner.stop()
    },
    async follow(onStart) {
      const runner = await run({
        pgPool: pool,
        logger,
        concurrency: 1,
        noHandleSignals: true,
        taskList: { work: onStart },
      })
      return { stop: () => runner.stop() }
    },
    clear: () =>
      pool
        .query('truncate graphile_worker._private_jobs')
        .catch(() => pool.query('truncate graphile_worker.jobs')),
    async close() {
      await utils.release()
      await pool.end()
    },
  }
}

/** In like mode: each job fetched and completed singly, by so many at once; its own polling would measure the poll. */
async function boss() {
  const module = await load('pg-boss')
  const PgBoss = module.PgBoss ?? module.default
  const boss = new PgBoss({ connectionString: spec.url, max: 40, supervise: false, schedule: false })
  boss.on('error', (error) => console.error(error.message))
  await boss.start()
  await boss.createQueue('work')
  const { default: pg } = await load('pg')
  const pool = new pg.Pool({ connectionString: spec.url, max: 2 })
  const insertMany = async (count) => {
    const rows = Array.from({ length: count }, () => ({ name: 'work', data: {} }))
    if (boss.insert.length > 1) await boss.insert('work', rows)
    else await boss.insert(rows)
  }
  const next = async () => {
    const [job] = (await boss.fetch('work', { batchSize: 1 })) ?? []
    return job
  }
  return {
    version: versionOf('pg-boss'),
    enqueue: () => boss.send('work', {}),
    enqueueMany: insertMany,
    async process(concurrency) {
      await Promise.all(
        Array.from({ length: concurrency }, async () => {
          for (let job = await next(); job; job = await next()) await boss.complete('work', job.id)
        }),
      )
    },
    async follow(onStart) {
      await boss.work('work', { pollingIntervalSeconds: 0.5, batchSize: 1 }, async () => onStart())
      return { stop: () => boss.offWork('work') }
    },
    async clear() {
      await boss.deleteAllJobs?.('work')
      await pool.query("delete from pgboss.job where name = 'work'")
    },
    async close() {
      await pool.end()
      await boss.stop({ graceful: false, wait: false })
      await Promise.race([once(boss, 'stopped'), new Promise((resolve) => setTimeout(resolve, 500))])
    },
  }
}
