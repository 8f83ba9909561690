import { afterAll, beforeAll, beforeEach, describe } from 'vitest'
import type { TestDatabase } from '../test-database.ts'
import { archiveConformance } from './archive.ts'
import { checksConformance } from './checks.ts'
import { cursorConformance } from './cursor.ts'
import { followersConformance } from './followers.ts'
import { identityConformance } from './identity.ts'
import { movesConformance } from './moves.ts'
import { permitsConformance } from './permits.ts'
import { reclaimConformance } from './reclaim.ts'
import { viewsConformance } from './views.ts'

/** What every database must do alike: run by `conformance.test.ts` on PGlite, by `conformance.pg.test.ts` on PostgreSQL. */
export function conformance(name: string, open: () => Promise<TestDatabase>): void {
  describe(name, () => {
    let test: TestDatabase | undefined
    const current = (): TestDatabase => {
      if (!test) throw new Error('the database is not open yet')
      return test
    }
    beforeAll(async () => {
      test = await open()
    })
    beforeEach(() => current().truncate())
    afterAll(() => test?.close())

    movesConformance(current)
    reclaimConformance(current)
    permitsConformance(current)
    followersConformance(current)
    viewsConformance(current)
    checksConformance(current)
    cursorConformance(current)
    archiveConformance(current)
    identityConformance(current)
  })
}
