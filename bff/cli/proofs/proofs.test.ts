import { PGlite } from '@electric-sql/pglite'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { createDatabase } from '../../store/database/create-database.ts'
import type { Database } from '../../store/database/database.ts'
import { pgliteDriver } from '../../store/database/pglite/pglite-driver.ts'
import { pgliteTemplate } from '../../store/testing/pglite-template.ts'
import { type TestDatabase, testDatabase } from '../../store/testing/test-database.ts'
import { proofNames } from '../commands/proof.ts'
import type { ProofReport } from './proof.ts'
import { proofs, runProof } from './run-proofs.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

const proofMs = 60_000
const named = proofs.map((proof) => [proof.name, proof] as const)

function proofOf(name: string) {
  const found = proofs.find((proof) => proof.name === name)
  if (!found) throw new Error(`there is no proof ${name}`)
  return found
}

function wrong({ steps }: ProofReport): string[] {
  return steps.filter(({ ok }) => !ok).map(({ what, expected, seen }) => `${what}: ${expected}, not ${seen}`)
}

test('there are the five, by the names that the command knows', () => {
  expect(proofs.map(({ name }) => name)).toEqual([...proofNames])
})

test.for(named)('%s holds', { timeout: proofMs }, async ([, proof]) => {
  const report = await runProof(proof, db.database)
  expect(wrong(report)).toEqual([])
  expect(report).toMatchObject({ name: proof.name, ok: true })
  expect(report.steps.length).toBeGreaterThan(3)
})

test('one after the other they hold on the same database', { timeout: 3 * proofMs }, async () => {
  for (const [, proof] of named) expect(wrong(await runProof(proof, db.database))).toEqual([])
})

/** The same engine on a database that does not do what it is told: every statement is rewritten first. */
async function broken(
  rewrite: (text: string) => string,
): Promise<{ database: Database; rewritten(): number }> {
  const pglite = await PGlite.create({ loadDataDir: await pgliteTemplate() })
  const driver = pgliteDriver(pglite)
  let count = 0
  const database = createDatabase({
    ...driver,
    hold: (work) =>
      driver.hold((run) =>
        work((text, parameters) => {
          const other = rewrite(text)
          if (other !== text) count += 1
          return run(other, parameters)
        }),
      ),
  })
  onTestFinished(() => database.close())
  return { database, rewritten: () => count }
}

/** What is broken how, and what the proof then says it saw. */
const breakages: readonly [string, string, (text: string) => string, RegExp][] = [
  [
    'async-execution',
    'an answer that is stored otherwise',
    (text) => text.replace(/('generated', )(\$\d+)/, '$1upper($2)'),
    /the answer that a reader finds: Yes\., not YES\./,
  ],
  [
    'priority-queue',
    'the worst rank first',
    (text) =>
      text.replace(
        /order by j\.permit_at, j\.claim_rank, j\.id limit/,
        'order by j.permit_at desc, j.claim_rank desc, j.id limit',
      ),
    /this order: priority 10, priority 50, priority 90, not priority 90, priority 50, priority 10/,
  ],
  [
    'retry',
    'attempts that are never spent',
    (text) => text.replace(/attempt = j\.attempt \+ \$\d+::int/, (old) => `${old} * 0`),
    /the next attempt: 2, not 1/,
  ],
  [
    'heartbeat',
    'leases that never end',
    (text) => text.replace(/running_heartbeat_at <= /, "running_heartbeat_at + interval '1 year' <= "),
    /at the end of the lease: queued, not running/,
  ],
  [
    'concurrent-safety',
    'writes without their fence',
    (text) =>
      text.replaceAll(/state = 'running' and worker_claim = (\$\d+)/g, "state = 'running' and $1 <> ''"),
    /after the old claim’s answer: running, run 2, not succeeded, run 2/,
  ],
]

test.for(breakages)('%s does not hold with %s', { timeout: proofMs }, async ([name, , rewrite, sees]) => {
  const { database, rewritten } = await broken(rewrite)
  const report = await runProof(proofOf(name), database)
  expect(rewritten()).toBeGreaterThan(0)
  expect(report.ok).toBe(false)
  expect(wrong(report).join('\n')).toMatch(sees)
})

test('a database that breaks altogether is something that was seen', { timeout: proofMs }, async () => {
  const { database } = await broken((text) => text.replace(/^\s*with best as/, 'with worst as'))
  const report = await runProof(proofOf('async-execution'), database)
  expect(report.ok).toBe(false)
  expect(wrong(report).join()).toMatch(/no error, not StatementError/)
})

test('a proof leaves nothing behind that waits or runs', async () => {
  const { database } = await broken((text) => text)
  const report = await runProof(
    {
      name: 'half',
      says: 'It stops in the middle.',
      play: async (stage) => {
        const { worker } = stage.process('worker', 1)
        await stage.submit('runs')
        await stage.submit('waits')
        await stage.nextCall(worker)
      },
    },
    database,
  )
  expect(report.ok).toBe(false)
  expect(report.steps).toEqual([])
  const states = await database.rows<{ state: string }>(sql`select state from job`)
  expect(states.map(({ state }) => state)).toEqual(['cancelled', 'cancelled'])
})
