import { afterAll, beforeAll } from 'vitest'
import { type TestPostgres, testPostgres } from '../store/testing/test-postgres.ts'
import { fairnessConformance } from './testing/fairness.ts'

let db: TestPostgres
beforeAll(async () => {
  db = await testPostgres()
})
afterAll(() => db.close())

fairnessConformance(() => db, { queued: 10_000, arrivals: 100, timeoutMs: 240_000 })
