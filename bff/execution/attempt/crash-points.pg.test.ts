import { afterAll, beforeAll } from 'vitest'
import { type TestPostgres, testPostgres } from '../../store/testing/test-postgres.ts'
import { crashPointsConformance } from '../testing/crash-points.ts'

let db: TestPostgres
beforeAll(async () => {
  db = await testPostgres()
})
afterAll(() => db.close())

crashPointsConformance(() => db, 120_000)
