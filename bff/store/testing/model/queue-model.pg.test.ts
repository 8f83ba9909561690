import { afterAll, beforeAll, describe } from 'vitest'
import { type TestPostgres, testPostgres } from '../test-postgres.ts'
import { queueModelConformance } from './queue-model-conformance.ts'

let db: TestPostgres
beforeAll(async () => {
  db = await testPostgres()
})
afterAll(() => db.close())

describe('the queue on PostgreSQL', () => {
  queueModelConformance(() => db, { runs: 45, commandsMax: 100, timeoutMs: 240_000 })
})
