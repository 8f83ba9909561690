import { conformance } from './testing/conformance/store-conformance.ts'
import { testPostgres } from './testing/test-postgres.ts'

conformance('PostgreSQL', testPostgres)
