import { afterAll, beforeAll, describe } from 'vitest'
import { type TestDatabase, testDatabase } from '../test-database.ts'
import { queueModelConformance } from './queue-model-conformance.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.close())

describe('the queue on PGlite', () => {
  queueModelConformance(() => db, { runs: 12, commandsMax: 60, timeoutMs: 120_000 })
})
