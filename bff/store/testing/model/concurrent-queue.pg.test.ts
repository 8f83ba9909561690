import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../database/database.ts'
import { openPostgres } from '../../database/postgres/open-postgres.ts'
import { type TestPostgres, testPostgres } from '../test-postgres.ts'
import { brokenInvariants } from './broken-invariants.ts'
import { type Acknowledged, type Act, type Crowd, concurrentAct, releaseOne } from './concurrent-acts.ts'
import { fcSettings } from './fc-settings.ts'
import { realQueue } from './real-queue.ts'
import { readBothHistories } from './replay-history.ts'

let db: TestPostgres
let many: Database
beforeAll(async () => {
  db = await testPostgres()
  many = await openPostgres({ url: db.url, connectionsMax: 12 })
})
afterAll(async () => {
  await many.close()
  await db.close()
})

interface Round {
  jumpMs: number
  acts: Act[]
}

const round: fc.Arbitrary<Round> = fc.record({
  jumpMs: fc.constantFrom(1, 1, 1, 5_000, 300_000),
  acts: fc.array(concurrentAct(), { minLength: 8, maxLength: 24, size: 'max' }),
})

/** What happens at once has no one order, so what must come of it is said by what was acknowledged, not by a model. */
describe('the queue, asked by many at once', () => {
  const runs = 30
  it(`keeps every acknowledged effect and every invariant, in ${runs} runs of rounds`, {
    timeout: 240_000,
  }, async () => {
    const rounds = fc.array(round, { minLength: 3, maxLength: 10, size: 'max' })
    const run = fc.asyncProperty(fc.integer({ min: 1, max: 5 }), rounds, async (orgConcurrency, chosen) => {
      await db.truncate()
      const crowd: Crowd = { real: realQueue(many, orgConcurrency), made: [], acknowledged: {} }
      for (const { jumpMs, acts } of chosen) {
        for (const factory of crowd.real.orgs) factory.advance(jumpMs)
        await Promise.all(acts.map((act) => act.run(crowd)))
        await expectWhole(crowd)
      }
      await expectAllEnds(crowd)
    })
    await fc.assert(run, { ...fcSettings(runs), endOnFailure: true })
  })
})

/** Every effect that was acknowledged is there, and no other; rows, events and invariants agree. */
async function expectWhole({ real, acknowledged }: Crowd): Promise<void> {
  // What a gate that closed at the same moment left behind is put right by the next look around.
  await real.orgs[0].grantReady()
  expect(await brokenInvariants(many)).toEqual([])
  const { rows, told } = await readBothHistories(many)
  expect(told).toEqual(rows)
  expect(await countEvents(Object.keys(acknowledged))).toEqual(
    Object.fromEntries(Object.entries(acknowledged).filter(([, times]) => times > 0)),
  )
  const runs = new Set(real.claims.map((claim) => `${claim.jobId} ${claim.run}`))
  expect(runs.size).toBe(real.claims.length)
}

async function countEvents(kinds: string[]): Promise<Acknowledged> {
  const rows = await many.rows<{ kind: string; times: number }>(
    sql`select kind, count(*) as times from event group by kind`,
  )
  const wanted = rows.filter(({ kind }) => kinds.includes(kind))
  return Object.fromEntries(wanted.map(({ kind, times }) => [kind, times]))
}

/** Nothing is lost: once nobody interferes, every job comes to its end, whatever permits and gates there were. */
async function expectAllEnds(crowd: Crowd): Promise<void> {
  const [jobs] = crowd.real.orgs
  await jobs.reclaim({ formerSelf: true })
  for (let turns = 0; turns < 400; turns++) {
    const open = await many.rows<{ id: string; held: boolean }>(sql`
      select id, hold_reason is not null as held from job where state in ('queued', 'running')`)
    if (open.length === 0) return
    jobs.advance(3_600_000)
    for (const { id } of open.filter((job) => job.held)) await releaseOne(crowd, id)
    const claims = await jobs.claimSome({ limit: 50 })
    if (claims.length === 0) throw new Error(`${open.length} jobs wait for ever, ${open[0]?.id} among them`)
    for (const claim of claims) await jobs.succeed(claim)
  }
}
