import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { appendDraft } from './drafts.ts'
import { jobFactory } from './testing/job-factory.ts'
import { type TestPostgres, testPostgres } from './testing/test-postgres.ts'

let db: TestPostgres
beforeAll(async () => {
  db = await testPostgres()
})
afterAll(() => db.close())

it('a chunk that is written while its job is cancelled leaves nothing behind', async () => {
  const jobs = jobFactory(db.database)
  for (let round = 0; round < 20; round++) {
    for (let n = 0; n < 10; n++) await jobs.submit()
    const claims = await jobs.claimSome()
    await Promise.all(
      claims.flatMap((claim) => [
        appendDraft(db.database, { claim, run: claim.run, seq: 0, text: 'so far' }, jobs.now()),
        jobs.cancel(claim.jobId),
      ]),
    )
  }
  expect(await db.database.rows(sql`select count(*) as left from draft`)).toEqual([{ left: 0 }])
})
