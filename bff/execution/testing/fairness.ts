import { describe, expect, it } from 'vitest'
import { agingMsDefault } from '../../domain/claim-order.ts'
import { seededRandom } from '../../domain/testing/seeded-random.ts'
import type { TestDatabase } from '../../store/testing/test-database.ts'
import { type Arrival, type LoadPlan, p99, simulatedLoad } from './simulated-load.ts'

const jobMs = 20_000
/** By so much is a job of priority 0 ahead of one of priority 100. */
const boundMs = 100 * agingMsDefault

/** How long one has to wait beside others, by simulation over the real statements (DESIGN §6, order and fairness). */
export function fairnessConformance(
  open: () => TestDatabase,
  sizes: { queued: number; arrivals: number; timeoutMs: number },
): void {
  const { queued, arrivals, timeoutMs } = sizes

  describe('one org’s long queue', () => {
    const plans: [name: string, plan: LoadPlan][] = [
      ['as many permits as places', { concurrency: 8, orgConcurrency: 8, jobMs }],
      ['fewer permits than places', { concurrency: 8, orgConcurrency: 4, jobMs }],
    ]
    it.each(plans)(
      `of ${queued} delays another’s jobs by one job length at most: %s`,
      {
        timeout: timeoutMs,
      },
      async (_, plan) => {
        const alone = await waits(open(), plan, { queued: 0, arrivals })
        const beside = await waits(open(), plan, { queued, arrivals })
        expect(beside).toHaveLength(arrivals)
        expect(p99(beside) - p99(alone)).toBeLessThanOrEqual(jobMs)
      },
    )
  })

  describe('a job of the last priority among endless ones of the first', () => {
    const plans: [name: string, plan: LoadPlan][] = [
      ['as many permits as places', { concurrency: 4, orgConcurrency: 4, jobMs }],
      ['more permits than places', { concurrency: 4, orgConcurrency: 8, jobMs }],
    ]
    it.each(plans)(
      'starts when its age has made up for it, ten minutes and a job length: %s',
      {
        timeout: timeoutMs,
      },
      async (_, plan) => {
        await open().truncate()
        const load = simulatedLoad(open().database, plan)
        const org = load.org()
        const everyMs = jobMs / plan.concurrency
        // As many come as places become free, and one more: one of them is always waiting.
        const endless = Array.from(
          { length: Math.ceil((boundMs + 2 * jobMs) / everyMs) },
          (_, index) => index * everyMs,
        )
        const firsts = [...endless, 4 * everyMs - 2].map((atMs): Arrival => ({ atMs, org, priority: 0 }))
        const last: Arrival = { atMs: 4 * everyMs - 1, org, priority: 100 }
        const all = [...firsts, last].sort((a, b) => a.atMs - b.atMs)
        const waited = (await load.run(all))[all.indexOf(last)]
        expect(waited).toBeLessThanOrEqual(boundMs + jobMs)
        expect(waited).toBeGreaterThanOrEqual(boundMs - jobMs)
      },
    )
  })
}

/** How long the jobs of one org waited that came one by one, at a fifth of what there is room for. */
async function waits(
  db: TestDatabase,
  plan: LoadPlan,
  { queued, arrivals }: { queued: number; arrivals: number },
): Promise<number[]> {
  await db.truncate()
  const load = simulatedLoad(db.database, plan)
  const [org, other] = [load.org(), load.org()]
  await load.backlog(other, queued)
  const random = seededRandom(7)
  const meanMs = (5 * plan.jobMs) / plan.concurrency
  let atMs = 0
  const coming = Array.from({ length: arrivals }, (): Arrival => {
    atMs += Math.ceil(-Math.log(1 - random()) * meanMs)
    return { atMs, org, priority: 50 }
  })
  return load.run(coming)
}
