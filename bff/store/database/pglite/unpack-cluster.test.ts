import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { expect, onTestFinished, test } from 'vitest'
import { pgliteTemplate } from '../../testing/pglite-template.ts'
import { migrate } from '../migrate.ts'
import { openPglite } from './open-pglite.ts'
import { unpackCluster } from './unpack-cluster.ts'

function emptyFolder(): string {
  const home = mkdtempSync(join(tmpdir(), 'mission-unpack-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const directory = join(home, 'database')
  mkdirSync(directory, { mode: 0o700 })
  return directory
}

test('an unpacked dump opens as the database it was taken from, its files private', async () => {
  const directory = emptyFolder()
  unpackCluster(new Uint8Array(await (await pgliteTemplate()).arrayBuffer()), directory)
  expect(statSync(join(directory, 'PG_VERSION')).mode & 0o777).toBe(0o600)
  expect(statSync(join(directory, 'base')).mode & 0o777).toBe(0o700)
  const { database } = await openPglite({ directory, diskSync: false, purpose: 'runs a test' })
  expect(await migrate(database)).toMatchObject({ applied: 0 })
  expect(await database.rows(sql`select count(*) as n from job`)).toEqual([{ n: 0 }])
  await database.close()
})

test('an archive that reaches outside its directory is refused', () => {
  const entry = Buffer.alloc(1024)
  entry.write('../../escaped', 0)
  entry.write('00000000001\0', 124)
  entry.write('0', 156)
  expect(() => unpackCluster(entry, emptyFolder())).toThrow(/reaches outside/)
})
