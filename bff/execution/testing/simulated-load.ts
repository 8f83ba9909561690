import type { Database } from '../../store/database/database.ts'
import type { ClaimedJob } from '../../store/jobs/claim-jobs.ts'
import { insertPrompts } from '../../store/jobs/insert-prompts.ts'
import { type JobFactory, jobFactory } from '../../store/testing/job-factory.ts'

export interface LoadPlan {
  /** Jobs that run at once, of all orgs together. */
  concurrency: number
  /** Permits of each org. */
  orgConcurrency: number
  /** How long every job takes. */
  jobMs: number
}

/** A job that comes `atMs` after the start, in its org. */
export interface Arrival {
  atMs: number
  org: JobFactory
  priority: number
}

/** A day of work in no time: the real statements, a clock that jumps from one event to the next, jobs of one length. */
export interface SimulatedLoad {
  /** An org that shares the clock. */
  org(): JobFactory
  /** Jobs that wait from the start, in statements of many. */
  backlog(org: JobFactory, jobs: number): Promise<void>
  /** Lets what arrives run until it has all started. @returns how long each waited, in ms, in the order of arrival. */
  run(arrivals: readonly Arrival[]): Promise<number[]>
}

const backlogRows = 500

export function simulatedLoad(database: Database, plan: LoadPlan): SimulatedLoad {
  const { concurrency, orgConcurrency, jobMs } = plan
  const orgs: JobFactory[] = []
  const running: { claim: ClaimedJob; endsMs: number }[] = []
  let elapsedMs = 0

  const advanceTo = (ms: number): void => {
    for (const org of orgs) org.advance(ms - elapsedMs)
    elapsedMs = ms
  }

  return {
    org() {
      const org = jobFactory(database, orgConcurrency)
      org.advance(elapsedMs)
      orgs.push(org)
      return org
    },

    async backlog(org, jobs) {
      for (let made = 0; made < jobs; made += backlogRows) {
        const rows = Array.from({ length: Math.min(backlogRows, jobs - made) }, () => org.prompt())
        await database.transaction((tx) => insertPrompts(tx, rows, { orgConcurrency, now: org.now() }))
      }
    },

    async run(arrivals) {
      const [worker] = orgs
      if (!worker) throw new Error('no org asks for anything')
      const coming = arrivals.toSorted((a, b) => a.atMs - b.atMs)
      const asked = new Map<string, { index: number; atMs: number }>()
      const waits: number[] = []
      let started = 0
      while (started < arrivals.length) {
        const arrivesMs = coming[asked.size]?.atMs ?? Number.POSITIVE_INFINITY
        advanceTo(Math.min(arrivesMs, ...running.map((one) => one.endsMs)))
        for (const one of running.filter((job) => job.endsMs <= elapsedMs)) {
          running.splice(running.indexOf(one), 1)
          if (!(await worker.succeed(one.claim))) throw new Error('a claim was lost')
        }
        for (const one of coming.slice(asked.size).filter((job) => job.atMs <= elapsedMs)) {
          const { jobId } = await one.org.submit({ priority: one.priority })
          asked.set(jobId, { index: asked.size, atMs: one.atMs })
        }
        const limit = concurrency - running.length
        const claims = limit > 0 ? await worker.claimSome({ limit }) : []
        for (const claim of claims) {
          running.push({ claim, endsMs: elapsedMs + jobMs })
          const arrival = asked.get(claim.jobId)
          if (!arrival) continue
          waits[arrival.index] = elapsedMs - arrival.atMs
          started += 1
        }
      }
      return waits
    },
  }
}

/** The wait that 99 of 100 do not exceed, in ms. */
export function p99(waits: readonly number[]): number {
  const sorted = waits.toSorted((a, b) => a - b)
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0
}
