import { databaseConformance } from '../../testing/database-conformance.ts'
import { testPostgres } from '../../testing/test-postgres.ts'

databaseConformance(testPostgres)
