import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readEverything, writeSample } from '../testing/backup-sample.ts'
import { jobFactory } from '../testing/job-factory.ts'
import { type TestDatabase, testDatabase } from '../testing/test-database.ts'
import { backup } from './backup.ts'
import { restore } from './restore.ts'

const folder = mkdtempSync(join(tmpdir(), 'mission-backup-'))
const now = new Date('2026-06-07T08:09:10.111Z')
const whole = join(folder, 'whole.ndjson.gz')
let opened: TestDatabase
let original: Record<string, string[]>
let originalEpoch: unknown

beforeAll(async () => {
  opened = await testDatabase()
  await writeSample(opened.database)
  original = await readEverything(opened.database)
  originalEpoch = await epoch()
  await backup(opened.database, whole, now)
})
beforeEach(() => opened.truncate())
afterAll(async () => {
  await opened.close()
  rmSync(folder, { recursive: true })
})

async function epoch(): Promise<unknown> {
  return (await opened.database.rows<{ value: unknown }>(sql`select value from meta where key = 'epoch'`))[0]
    ?.value
}

/** The lines of the good backup, changed, in a file of their own. */
function spoiled(change: (lines: string[]) => string[]): string {
  const file = join(folder, 'spoiled.ndjson.gz')
  const lines = gunzipSync(readFileSync(whole)).toString().split('\n').slice(0, -1)
  writeFileSync(
    file,
    gzipSync(
      change(lines)
        .map((line) => `${line}\n`)
        .join(''),
    ),
  )
  return file
}

async function expectRefused(file: string, message: RegExp): Promise<void> {
  const before = await epoch()
  await expect(restore(opened.database, file, now)).rejects.toMatchObject({
    code: 'invalid_backup',
    message: expect.stringMatching(message),
  })
  expect(await readEverything(opened.database)).toEqual({})
  expect(await epoch()).toBe(before)
}

test('what was backed up comes back as it was, under a new epoch', async () => {
  const report = await restore(opened.database, whole, now)
  expect(await readEverything(opened.database)).toEqual(original)
  expect(report.rows).toBe(Object.values(original).flat().length)
  expect(report.createdAt).toEqual(now)
  expect(report.epoch).toBe(await epoch())
  expect(report.epoch).not.toBe(originalEpoch)
})

test('restored events are visible to every snapshot, and new ones get higher numbers', async () => {
  await restore(opened.database, whole, now)
  const [before] = await opened.database.rows(
    sql`select count(*) filter (where tx <> '3') as later, max(seq) as last from event`,
  )
  expect(before).toEqual({ later: 0, last: 1200 })
  await opened.database.rows(
    sql`insert into event (org_id, owner, kind, at) values (gen_random_uuid(), gen_random_uuid(), 'job-queued', now())`,
  )
  expect(await opened.database.rows(sql`select max(seq) as last from event`)).toEqual([{ last: 1201 }])
})

test('a job that ran when the backup was taken waits again, uncounted; one of the cluster runs on', async () => {
  const jobs = jobFactory(opened.database)
  const made = await jobs.submit()
  const outside = await jobs.submit()
  await jobs.claimSome()
  await opened.database.rows(sql`update job set external = true where id = ${outside.jobId}::uuid`)
  const file = join(folder, 'running.ndjson.gz')
  await backup(opened.database, file, now)
  await opened.truncate()
  expect((await restore(opened.database, file, now)).handedBack).toEqual([made.jobId])
  expect(await jobs.facts(made.jobId)).toMatchObject({
    state: 'queued',
    attempt: 1,
    run: 1,
    workerClaim: null,
  })
  expect(await jobs.facts(outside.jobId)).toMatchObject({ state: 'running' })
  expect((await jobs.eventKinds(made.promptId)).at(-1)).toBe('job-returned')
  expect((await jobs.claim()).jobId).toBe(made.jobId)
})

test('the file is private, leaves nothing beside it, and replaces an older one', async () => {
  const place = mkdtempSync(join(folder, 'place-'))
  const file = join(place, 'backup.ndjson.gz')
  writeFileSync(file, 'older')
  expect(await backup(opened.database, file, now)).toMatchObject({ rows: 0 })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(place)).toEqual(['backup.ndjson.gz'])
  await restore(opened.database, file, now)
})

test('a backup that cannot be written leaves nothing and says so', async () => {
  await expect(backup(opened.database, join(folder, 'absent', 'file'), now)).rejects.toThrow(/ENOENT/)
})

test('a database with rows is refused and keeps them', async () => {
  await opened.database.rows(
    sql`insert into org (id, name, created_at) values (gen_random_uuid(), 'ours', now())`,
  )
  await expect(restore(opened.database, whole, now)).rejects.toMatchObject({ code: 'state_conflict' })
  expect(await opened.database.rows(sql`select name from org`)).toEqual([{ name: 'ours' }])
})

test('a cut, damaged or foreign file changes nothing', async () => {
  const bytes = readFileSync(whole)
  const file = join(folder, 'cut')
  writeFileSync(file, bytes.subarray(0, Math.floor(bytes.length / 2)))
  await expectRefused(file, /cut off|damaged/)
  const damaged = Buffer.from(bytes)
  damaged.fill(0x55, Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 40)
  writeFileSync(file, damaged)
  await expectRefused(file, /whole Mission Field backup/)
  for (const foreign of [
    '',
    'text',
    gzipSync(''),
    gzipSync('{"format":"other"}\n'),
    gzipSync('x'.repeat(200_000)),
  ]) {
    writeFileSync(file, foreign)
    await expectRefused(file, /whole Mission Field backup/)
  }
  await expectRefused(join(folder, 'nowhere'), /^There is no file/)
  await expectRefused(folder, /is a folder/)
})

test('lines that are missing, out of place, or of another version change nothing', async () => {
  await expectRefused(
    spoiled((lines) => lines.slice(0, -1)),
    /cut off/,
  )
  await expectRefused(
    spoiled((lines) => lines.filter((line) => !line.includes('"job-queued"'))),
    /rows are missing/,
  )
  await expectRefused(
    spoiled((lines) => [...lines, '{}']),
    /after its end/,
  )
  await expectRefused(
    spoiled((lines) => lines.filter((line) => !line.startsWith('["table"'))),
    /before their table/,
  )
  await expectRefused(
    spoiled((lines) => lines.map((line) => line.replace('"org"', '"pg_authid"'))),
    /no such table/,
  )
  await expectRefused(
    spoiled((lines) => lines.map((line) => line.replace('"id"', '"id\\"; drop"'))),
    /no such table/,
  )
  await expectRefused(
    spoiled((lines) => lines.map((line) => line.replace('"asserted"', '"nonsense"'))),
    /refuses rows of entity/,
  )
  await expectRefused(
    spoiled((lines) => lines.map((line) => line.replace(/"migration":\d+/, '"migration":1'))),
    /another version/,
  )
})
