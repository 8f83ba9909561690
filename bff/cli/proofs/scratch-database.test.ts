import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openScratch } from './scratch-database.ts'

test('the embedded one lies in a temporary folder, migrated, and is gone afterwards', {
  timeout: 400_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mission-scratch-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  vi.stubEnv('TMPDIR', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
  const { database, drop } = await openScratch(null)
  expect(database.kind).toBe('pglite')
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^mission-proof-/)])
  expect(await database.rows(sql`select 1 as one from job`)).toEqual([])
  await drop()
  expect(existsSync(folder) ? readdirSync(folder) : null).toEqual([])
})

test('a server that is not there is one plain refusal', async () => {
  await expect(openScratch('postgres://127.0.0.1:1/mine')).rejects.toMatchObject({
    code: 'database_unavailable',
  })
})
