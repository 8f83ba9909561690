import { sql } from 'drizzle-orm'
import { v7 as uuidV7 } from 'uuid'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { failure } from '../domain/failure.ts'
import { seededRandom } from '../domain/testing/seeded-random.ts'
import type { Database } from './database/database.ts'
import { openPostgres } from './database/postgres/open-postgres.ts'
import { ownSnapshot } from './events/snapshot.ts'
import { follow, here, writeEvents } from './testing/conformance/cursor.ts'
import { jobFactory } from './testing/job-factory.ts'
import { type TestPostgres, testPostgres } from './testing/test-postgres.ts'

/** What needs many connections at once; PGlite has one, so these races are PostgreSQL's alone. */
let test: TestPostgres
let many: Database
beforeAll(async () => {
  test = await testPostgres()
  many = await openPostgres({ url: test.url, connectionsMax: 24 })
})
beforeEach(() => test.truncate())
afterAll(async () => {
  await many.close()
  await test.close()
})

describe('many claims at once', () => {
  it('take every job once', async () => {
    const jobs = jobFactory(many)
    for (let batch = 0; batch < 4; batch++) await Promise.all(Array.from({ length: 50 }, () => jobs.submit()))
    const taken: string[] = []
    const worker = async (): Promise<void> => {
      for (;;) {
        const claims = await jobs.claimSome({ limit: 3 })
        if (claims.length === 0) return
        taken.push(...claims.map((claim) => claim.jobId))
      }
    }
    await Promise.all(Array.from({ length: 20 }, worker))
    expect(taken).toHaveLength(200)
    expect(new Set(taken).size).toBe(200)
    const runs = await many.rows<{ run: number }>(sql`select distinct run from job`)
    expect(runs).toEqual([{ run: 1 }])
  })
})

describe('a cancel against a claim', () => {
  // R031
  it('that was acknowledged for a queued job leaves nothing to run', async () => {
    const jobs = jobFactory(many)
    let queuedCancels = 0
    for (let round = 0; round < 200; round++) {
      const { jobId } = await jobs.submit()
      const both = [() => jobs.claimSome(), () => jobs.cancel(jobId)]
      if (round % 2) both.reverse()
      await Promise.all(both.map((start) => start()))
      const facts = await jobs.facts(jobId)
      expect(facts).toMatchObject({ state: 'cancelled', workerClaim: null })
      if (facts.run === 0) queuedCancels += 1
      expect(await jobs.claimSome()).toEqual([])
    }
    expect(queuedCancels).toBeGreaterThan(0)
  })
})

describe('a settle against a cancel', () => {
  it('has one winner, and the loser writes nothing', async () => {
    const jobs = jobFactory(many)
    const outcomes = new Set<string>()
    for (let round = 0; round < 100; round++) {
      const { promptId, jobId } = await jobs.submit()
      const claim = await jobs.claim()
      const both = [() => jobs.succeed(claim), async () => (await jobs.cancel(jobId)) !== null]
      if (round % 2) both.reverse()
      const won = await Promise.all(both.map((start) => start()))
      expect(won.filter(Boolean)).toHaveLength(1)
      const facts = await jobs.facts(jobId)
      outcomes.add(facts.state)
      const answers = await many.rows(sql`select from entity where parent_id = ${promptId}::uuid`)
      expect(answers).toHaveLength(facts.state === 'succeeded' ? 1 : 0)
      expect(await jobs.revision(promptId)).toBe(3)
      expect(await jobs.eventKinds(promptId)).toHaveLength(3)
    }
    expect(outcomes).toEqual(new Set(['succeeded', 'cancelled']))
  })
})

describe('a submit of a follower against the settling of its first', () => {
  it('never leaves it waiting for what is over', async () => {
    const jobs = jobFactory(many)
    for (let round = 0; round < 200; round++) {
      const first = await jobs.submit()
      const claim = await jobs.claim()
      const ends = round % 3 === 0 ? jobs.fail : round % 3 === 1 ? jobs.succeed : null
      const settle = () => (ends ? ends.call(jobs, claim) : jobs.cancel(first.jobId))
      const both = [() => jobs.follow(first), settle]
      if (round % 2) both.reverse()
      await Promise.all(both.map((start) => start()))
      const [follower] = await many.rows<{
        id: string
        blocked_by: string | null
        hold_reason: string | null
      }>(sql`select id, blocked_by, hold_reason from job where prompt_id <> ${first.promptId}::uuid`)
      const { state } = await jobs.facts(first.jobId)
      if (state === 'succeeded') expect(follower).toMatchObject({ blocked_by: null, hold_reason: null })
      else expect(follower).toMatchObject({ blocked_by: first.promptId, hold_reason: state })
      await test.truncate()
    }
  })

  it('that is being retried is told so, and loses nothing on the next try', async () => {
    const jobs = jobFactory(many)
    for (let round = 0; round < 60; round++) {
      const first = await jobs.submit()
      await jobs.fail(await jobs.claim())
      const follower = jobs.prompt({ parent_id: first.promptId, correlation_id: first.promptId })
      const submit = () => jobs.submit(follower)
      const both = [submit, () => jobs.retry(first.promptId)]
      if (round % 2) both.reverse()
      const results = await Promise.allSettled(both.map((start) => start()))
      if (results.some((result) => result.status === 'rejected')) await submit()
      expect(await jobs.column(follower.job_id, 'blocked_by')).toBe(first.promptId)
      expect(await jobs.column(follower.job_id, 'hold_reason')).toBeNull()
      await test.truncate()
    }
  })
})

describe('twenty retries of one job', () => {
  it('have one winner, every round', async () => {
    const jobs = jobFactory(many)
    const { promptId } = await jobs.submit()
    for (let round = 0; round < 10; round++) {
      await jobs.fail(await jobs.claim())
      const retries = await Promise.all(Array.from({ length: 20 }, () => jobs.retry(promptId)))
      expect(retries.filter((jobId) => jobId !== null)).toHaveLength(1)
    }
    const [chain] = await many.rows<{ jobs: number; links: number }>(
      sql`select count(*) as jobs, count(distinct supersedes) as links from job`,
    )
    expect(chain).toEqual({ jobs: 11, links: 10 })
  })
})

describe('two reclaims at once', () => {
  it('take each job once', async () => {
    const jobs = jobFactory(many)
    await Promise.all(Array.from({ length: 60 }, () => jobs.submit()))
    await jobs.claimSome({ limit: 60 })
    const both = await Promise.all([1, 2, 3].map(() => jobs.reclaim({ formerSelf: true })))
    const all = [...both, await jobs.reclaim({ formerSelf: true })].flatMap((some) => some.requeued)
    expect(new Set(all).size).toBe(60)
    expect(all).toHaveLength(60)
  })
})

describe('the cursor under late commits', () => {
  const owner = { orgId: uuidV7(), personId: uuidV7() }
  const insertOne = sql`
    insert into event (org_id, owner, kind, at)
    values (${owner.orgId}::uuid, ${owner.personId}::uuid, 'job-queued', now()) returning seq`

  // R037, R039
  it('delivers what commits late though later numbers were delivered before', async () => {
    const start = await here(many)
    const held = gate()
    const written = gate<number>()
    const late = many.transaction(async (tx) => {
      const [row] = await tx.rows<{ seq: number }>(insertOne)
      written.open(row?.seq ?? 0)
      await held.opened
    })
    const lateSeq = await written.opened
    const early = await writeEvents(many, 40, owner)
    expect(Math.min(...early)).toBeGreaterThan(lateSeq)
    const first = await follow(many, start, 7, owner)
    expect(first.seqs).toEqual(early)
    const again = await follow(many, first.cursor, 7, owner)
    expect(again.seqs).toEqual([])
    held.open()
    await late
    expect((await follow(many, again.cursor, 7, owner)).seqs).toEqual([lateSeq])
  })

  it('taken inside a transaction misses none that was open beside it', async () => {
    const held = gate()
    const written = gate<number>()
    const open = many.transaction(async (tx) => {
      const [row] = await tx.rows<{ seq: number }>(insertOne)
      written.open(row?.seq ?? 0)
      await held.opened
    })
    const openSeq = await written.opened
    const inside = await many.transaction(async (tx) => {
      await tx.rows(insertOne)
      return ownSnapshot(tx)
    })
    const { epoch } = await here(many)
    expect((await follow(many, { epoch, from: inside }, 7, owner)).seqs).toEqual([])
    held.open()
    await open
    expect((await follow(many, { epoch, from: inside }, 7, owner)).seqs).toEqual([openSeq])
  })

  it('loses and repeats nothing under twenty writers with rollbacks', async () => {
    const seed = Date.now() % 1_000_000
    const random = seededRandom(seed)
    const start = await here(many)
    const committed: number[] = []
    let writing = 18
    const writer = async (): Promise<void> => {
      for (let round = 0; round < 25; round++) {
        const undo = random() < 0.2
        const rows = 1 + Math.floor(random() * 4)
        const work = many.transaction(async (tx) => {
          const seqs: number[] = []
          for (let row = 0; row < rows; row++)
            seqs.push(...(await tx.rows<{ seq: number }>(insertOne)).map((one) => one.seq))
          if (undo) throw failure('unknown', 'undone')
          return seqs
        })
        await work.then(
          (seqs) => committed.push(...seqs),
          () => {},
        )
      }
      writing -= 1
    }
    const read: number[] = []
    const reader = async (): Promise<void> => {
      let cursor = start
      for (let last = false; !last; ) {
        last = writing === 0
        const some = await follow(many, cursor, 37, owner)
        read.push(...some.seqs)
        cursor = some.cursor
      }
    }
    await Promise.all([...Array.from({ length: writing }, writer), reader()])
    const ascending = (seqs: number[]) => seqs.toSorted((a, b) => a - b)
    expect(ascending(read), `seed ${seed}`).toEqual(ascending(committed))
    expect(committed.length).toBeGreaterThan(300)
  })
})

/** A point that one side waits at until the other opens it. */
function gate<Value = void>(): { opened: Promise<Value>; open: (value: Value) => void } {
  let open: (value: Value) => void = () => {}
  const opened = new Promise<Value>((resolve) => {
    open = resolve
  })
  return { opened, open }
}
