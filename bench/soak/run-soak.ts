import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from '../../bff/store/database/database.ts'
import { openPostgres } from '../../bff/store/database/postgres/open-postgres.ts'
import { type RunningPostgres, startPostgres } from '../../bff/store/testing/start-postgres.ts'
import { machine } from '../machine.ts'
import { ensureProduct } from './built-product.ts'
import { checkPromises, finalStates } from './checks/check-promises.ts'
import { checkOrgLimit, checkReclaims, type Outage, type ReclaimFigures } from './checks/check-reclaims.ts'
import { checkRecords } from './checks/check-records.ts'
import { checkStreams, hasTold } from './checks/check-streams.ts'
import { disturb } from './disturb.ts'
import { type Follower, followViews } from './follow-views.ts'
import { createMissionClient } from './mission-client.ts'
import { type MissionProcess, startMission } from './mission-process.ts'
import { type MissionServer, startServer } from './mission-server.ts'
import { playThreads } from './play-threads.ts'
import { readFacts, type SoakFacts } from './read-facts.ts'
import { installAudit } from './run-audit.ts'
import type { SoakOptions } from './soak-options.ts'
import { planSoak } from './soak-plan.ts'
import { leaseMs, orgLimit, soakSettings } from './soak-settings.ts'
import { watchLateness } from './stream-lateness.ts'
import { createViewWatch } from './view-watch.ts'
import { startWorkerSlots, type WorkerSlots } from './worker-slots.ts'

/** What a soak came to; `broken` is empty when everything held. */
export interface SoakReport {
  seed: number
  options: SoakOptions
  /** Of what was to happen. */
  planDigest: string
  /** Of each prompt's final state: the same for every run of one plan. */
  finalDigest: string
  machine: ReturnType<typeof machine>
  elapsedMs: number
  prompts: Record<string, number>
  requests: { sent: number; resent: number }
  kills: number
  outagesMs: number[]
  jobs: number
  runs: number
  retriedAfterCrash: number
  mostRunsAtOnce: number
  reclaims: ReclaimFigures
  streams: { connections: number; resyncs: number }[]
  broken: string[]
}

const sayEvery = 50
/** Without anything settling for so long, the rest never will. */
const stallMs = 60_000
/** For streams to tell the last of it, and for runs that lost their job to end. */
const calmMs = 15_000

/**
 * Real processes on a PostgreSQL of their own, killed and cut off as the plan says, while prompts are submitted,
 * cancelled and retried over HTTP; then everything acknowledged is held against the database, the streams and the
 * servers' answers.
 *
 * What repeats with a seed: the plan, and each prompt's final state. What does not: which run a kill hits, hence the
 * numbers of runs, crashes and resent requests.
 *
 * @param signal ends it early; every process is ended in any case.
 */
export async function runSoak(
  options: SoakOptions,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<SoakReport> {
  const plan = planSoak(options)
  await ensureProduct()
  const startedMs = performance.now()
  const endings: (() => unknown)[] = []
  try {
    const scratch = mkdtempSync(join(tmpdir(), 'mission-soak-'))
    let isWell = false
    endings.push(() => {
      if (isWell) rmSync(scratch, { recursive: true, force: true })
      else say(`The processes' logs and what they left behind are in ${scratch}`)
    })
    const postgres = await startPostgres()
    endings.push(() => postgres.stop())
    const { database, servers, workers } = await startProcesses(postgres, scratch, options, endings)

    const watch = createViewWatch()
    const followers = servers.map((server) => followViews(server, watch.take))
    endings.push(() => Promise.all(followers.map((follower) => follower.stop())))
    const [first] = servers
    if (!first) throw new Error('a soak needs a server')
    const lateness = watchLateness(database, followers, first, watch)
    endings.push(() => lateness.stop())
    const disturbance = disturb(plan, workers, postgres, followers)
    endings.push(() => disturbance.stop())

    const client = createMissionClient(servers)
    const progress = { settled: 0 }
    say(`plan ${plan.digest.slice(0, 16)}: ${options.prompts} prompts in ${plan.threads.length} threads`)
    const threads = playThreads(plan.threads, options.window, client, watch, (settled) => {
      progress.settled = settled
      disturbance.onSettled(settled)
      if (settled % sayEvery === 0) say(`${settled} settled, ${workers.kills.length} workers killed`)
    })
    const stalled = await Promise.race([untilDone(threads.done, progress, signal), anyEnds(servers)])
    say('all have settled')
    await disturbance.stop()
    const restless = stalled ? [] : await untilCalm(database, followers)
    await lateness.stop()
    const badEnds = await workers.stop()
    const facts = await readFacts(database)
    const { outages } = disturbance
    const reclaims = checkReclaims(facts.audit, workers.kills, outages, leaseMs)
    const orgLimits = checkOrgLimit(facts.audit, orgLimit(options.workers))
    const streams = await checkStreams(facts, followers, servers)
    const { played } = threads
    const report: SoakReport = {
      seed: options.seed,
      options,
      planDigest: plan.digest,
      finalDigest: createHash('sha256').update(finalStates(facts, played).join('\n')).digest('hex'),
      machine: machine(),
      elapsedMs: Math.round(performance.now() - startedMs),
      prompts: countsByKind(played.map(({ plan }) => plan.kind)),
      requests: { sent: client.sent, resent: client.resent },
      kills: workers.kills.length,
      outagesMs: outages.map(({ fromMs, untilMs }) => untilMs - fromMs),
      jobs: facts.jobs.length,
      runs: facts.jobs.reduce((sum, { run }) => sum + run, 0),
      retriedAfterCrash: played.reduce((sum, prompt) => sum + prompt.retriedAfterCrash, 0),
      mostRunsAtOnce: orgLimits.most,
      reclaims: reclaims.figures,
      streams: followers.map(({ connections, resyncs }) => ({ connections, resyncs })),
      broken: [
        ...threads.broken,
        ...(stalled ? [stalled, ...played.filter(({ settled }) => !settled).map(unsettled)] : []),
        ...restless,
        ...lateness.late,
        ...unexplained(workers, outages),
        ...badEnds,
        ...client.internalErrors,
        ...checkRecords(facts),
        ...checkPromises(facts, played),
        ...reclaims.broken,
        ...orgLimits.broken,
        ...streams,
        ...(await endServers(servers)),
      ],
    }
    isWell = report.broken.length === 0
    if (!isWell) {
      const left = { report, facts, played, kills: workers.kills, outages }
      writeFileSync(join(scratch, 'left-behind.json'), JSON.stringify(left, null, 1))
    }
    return report
  } finally {
    for (const end of endings.reverse())
      await Promise.resolve()
        .then(end)
        .catch(() => {})
  }
}

async function startProcesses(
  postgres: RunningPostgres,
  scratch: string,
  options: SoakOptions,
  endings: (() => unknown)[],
): Promise<{ database: Database; servers: MissionServer[]; workers: WorkerSlots }> {
  const settings = soakSettings(postgres.url, options.workers)
  const all: MissionProcess[] = []
  endings.push(() => {
    for (const process of all) process.kill('SIGKILL')
  })
  const begin = (args: readonly string[]): MissionProcess => {
    const process = startMission(args, join(scratch, `process-${all.length}`), settings)
    all.push(process)
    return process
  }
  // The first one makes the tables, which the audit is then laid around.
  const first = await startServer(begin)
  const database = await openPostgres({ url: postgres.url, connectionsMax: 2 })
  endings.push(() => database.close())
  await installAudit(database)
  const starting = startWorkerSlots(options.workers, () => begin(['run-worker']))
  const others = Array.from({ length: options.servers - 1 }, () => startServer(begin))
  const [workers, ...more] = await Promise.all([starting, ...others])
  // Before the processes are killed one by one, nobody may replace them.
  endings.push(() => workers.retire())
  return { database, servers: [first, ...more], workers }
}

/** @returns null, or that it stalled. @throws the reason of `signal`. */
async function untilDone(
  done: Promise<void>,
  progress: { settled: number },
  signal: AbortSignal,
): Promise<string | null> {
  let lastSettled = -1
  let lastMs = Date.now()
  const over = done.then(() => true as const)
  for (;;) {
    if (await Promise.race([over, wait(500, false as const)])) return null
    signal.throwIfAborted()
    if (progress.settled !== lastSettled) lastMs = Date.now()
    else if (Date.now() - lastMs > stallMs) return `nothing settled for ${stallMs / 1_000} s`
    lastSettled = progress.settled
  }
}

/** Nobody replaces a server: one that ends has taken the soak with it. */
async function anyEnds(servers: readonly MissionServer[]): Promise<never> {
  const { code, signal, stderr } = await Promise.race(servers.map(({ process }) => process.ended))
  throw new Error(`a server ended by itself with ${code ?? signal}: ${stderr.trim()}`)
}

async function untilCalm(database: Database, followers: readonly Follower[]): Promise<string[]> {
  const untilMs = Date.now() + calmMs
  let facts: SoakFacts
  do {
    facts = await readFacts(database)
    const runs = facts.jobs.filter(({ state }) => state === 'running').length
    if (runs === 0 && followers.every((follower) => hasTold(facts, follower))) return []
    await wait(200)
  } while (Date.now() < untilMs)
  return [`runs or streams have not come to an end ${calmMs / 1_000} s after the last prompt settled`]
}

async function endServers(servers: readonly MissionServer[]): Promise<string[]> {
  const ends = await Promise.all(
    servers.map(async ({ process }) => {
      process.kill('SIGTERM')
      return process.ended
    }),
  )
  return ends.flatMap(({ code, signal, stderr }) =>
    code === 0 ? [] : [`a server told to end ended with ${code ?? signal}: ${stderr.trim()}`],
  )
}

/** A worker that starts while PostgreSQL is down ends with a plain word; any other end of its own is a fault. */
function unexplained({ unexpectedEnds }: WorkerSlots, outages: readonly Outage[]): string[] {
  const startMs = 3_000
  return unexpectedEnds.flatMap(({ atMs, says }) =>
    outages.some(({ fromMs, untilMs }) => fromMs <= atMs && atMs <= untilMs + startMs)
      ? []
      : [`a worker ended by itself with ${says}`],
  )
}

function unsettled({
  plan: { id, kind },
  jobId,
}: {
  plan: { id: string; kind: string }
  jobId: string | null
}): string {
  return `prompt ${id} (${kind}) ${jobId === null ? 'was never accepted' : 'never came to its end'}`
}

function countsByKind(kinds: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}
