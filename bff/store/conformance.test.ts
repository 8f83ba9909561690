import { conformance } from './testing/conformance/store-conformance.ts'
import { testDatabase } from './testing/test-database.ts'

conformance('PGlite', testDatabase)
