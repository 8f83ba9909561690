import { migrationConformance } from '../testing/migration-conformance.ts'
import { testPostgres } from '../testing/test-postgres.ts'

migrationConformance(testPostgres)
