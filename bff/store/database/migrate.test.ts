import { migrationConformance } from '../testing/migration-conformance.ts'
import { testDatabase } from '../testing/test-database.ts'

migrationConformance(testDatabase)
