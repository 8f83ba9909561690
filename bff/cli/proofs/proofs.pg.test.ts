import { sql } from 'drizzle-orm'
import { expect, onTestFinished, test } from 'vitest'
import { openPostgres } from '../../store/database/postgres/open-postgres.ts'
import { testDatabaseUrl } from '../../store/testing/test-postgres.ts'
import { proofs, runProof } from './run-proofs.ts'
import { openScratch } from './scratch-database.ts'

const url = testDatabaseUrl(process.env.TEST_DATABASE_URL)

async function scratchNames(): Promise<string[]> {
  const server = await openPostgres({ url, connectionsMax: 1 })
  const rows = await server.rows<{ name: string }>(
    sql`select datname as name from pg_database where datname like 'mission_proof_%'`,
  )
  await server.close()
  return rows.map(({ name }) => name)
}

test('on PostgreSQL every proof holds, in a database of its own that is dropped afterwards', {
  timeout: 240_000,
}, async () => {
  const { database, drop } = await openScratch(url)
  onTestFinished(() => drop().catch(() => {}))
  const [own] = await database.rows<{ name: string }>(sql`select current_database() as name`)
  expect(own?.name).toMatch(/^mission_proof_[0-9a-f]+_test$/)
  for (const proof of proofs) {
    const { steps } = await runProof(proof, database)
    expect(steps.filter(({ ok }) => !ok)).toEqual([])
  }
  await drop()
  expect(await scratchNames()).not.toContain(own?.name)
})

test('an account that may not make a database is told so, and nothing is left', {
  timeout: 120_000,
}, async () => {
  const server = await openPostgres({ url, connectionsMax: 1 })
  await server.rows(sql.raw('create role mission_proof_poor login'))
  onTestFinished(async () => {
    await server.rows(sql.raw('drop role mission_proof_poor'))
    await server.close()
  })
  const poor = new URL(url)
  poor.username = 'mission_proof_poor'
  await expect(openScratch(poor.href)).rejects.toMatchObject({
    code: 'database_unavailable',
    message: expect.stringContaining('DATABASE_URL'),
  })
})
