import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../config.ts'
import { answerOf, machineChecks } from './machine-checks.ts'

function setup() {
  const dataDir = mkdtempSync(join(tmpdir(), 'mission-doctor-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const look = async () => answerOf(await machineChecks(readConfig({ MISSION_DATA_DIR: dataDir })))
  const folder = async () => (await look()).checks.find(({ name }) => name === 'data directory')
  return { dataDir, look, folder }
}

test('a data directory that only its owner may enter is well, its size is told', async () => {
  const { dataDir, look, folder } = setup()
  writeFileSync(join(dataDir, 'big'), Buffer.alloc(2_500_000))
  expect(await folder()).toMatchObject({ ok: true, says: expect.stringMatching(/ 2\.5 MB, mode 700\.$/) })
  expect((await look()).ok).toBe(true)
})

test('one that others may look into is not, and the finding says what helps', async () => {
  const { dataDir, look, folder } = setup()
  chmodSync(dataDir, 0o755)
  expect(await folder()).toMatchObject({ ok: false, says: expect.stringContaining(`chmod 700 ${dataDir}`) })
  expect((await look()).ok).toBe(false)
})

test('one that is not there yet is no fault', async () => {
  const { dataDir, look, folder } = setup()
  rmSync(dataDir, { recursive: true })
  expect(await folder()).toMatchObject({ ok: null })
  expect((await look()).ok).toBe(true)
})
