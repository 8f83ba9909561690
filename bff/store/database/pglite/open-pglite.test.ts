import { databaseConformance } from '../../testing/database-conformance.ts'
import { testDatabase } from '../../testing/test-database.ts'

databaseConformance(testDatabase)
