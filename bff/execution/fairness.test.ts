import { afterAll, beforeAll } from 'vitest'
import { type TestDatabase, testDatabase } from '../store/testing/test-database.ts'
import { fairnessConformance } from './testing/fairness.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.close())

fairnessConformance(() => db, { queued: 500, arrivals: 25, timeoutMs: 120_000 })
