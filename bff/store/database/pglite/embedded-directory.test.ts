import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LockHeldError } from './lock-file.ts'
import { openPglite } from './open-pglite.ts'

const home = mkdtempSync(join(tmpdir(), 'mission-embedded-'))
const directory = join(home, 'deep', 'database')
const open = (diskSync = true) => openPglite({ directory, diskSync, purpose: 'runs a test' })

beforeAll(async () => {
  mkdirSync(`${directory}.new`, { recursive: true }) // what a start that was killed half way leaves behind
  const { database } = await open()
  await database.rows(sql`create table written (n int)`)
  await database.close()
}, 120_000)
afterAll(() => rmSync(home, { recursive: true, force: true }))

test('a fresh directory is private, has no leftovers, and is let go of on close', () => {
  expect(statSync(directory).mode & 0o777).toBe(0o700)
  expect(existsSync(`${directory}.new`)).toBe(false)
  expect(existsSync(`${directory}.lock`)).toBe(false)
})

test('disk sync is verified by a real commit, and rows are there after reopening', async () => {
  const first = await open()
  expect(first).toMatchObject({ diskSync: 'verified' })
  const settings = await first.database.rows(
    sql`select current_setting('fsync') as fsync, current_setting('wal_sync_method') as method`,
  )
  expect(settings).toEqual([{ fsync: 'on', method: 'fsync' }])
  await first.database.rows(sql`insert into written values (-1)`)
  await first.database.close()
  const second = await open()
  expect(await second.database.rows(sql`select n from written where n < 0`)).toEqual([{ n: -1 }])
  await second.database.close()
})

test('without disk sync it says off', async () => {
  const opened = await open(false)
  expect(opened).toMatchObject({ diskSync: 'off' })
  await opened.database.close()
})

test('a second opening is refused, and the first goes on', async () => {
  const { database } = await open()
  await expect(open()).rejects.toBeInstanceOf(LockHeldError)
  expect(await database.rows(sql`select 1 as one`)).toEqual([{ one: 1 }])
  await database.close()
})

test('queued transactions leave the event loop its turns', async () => {
  const { database } = await open(false)
  let turns = 0
  let done = false
  const count = (): void => {
    turns += 1
    if (!done) setImmediate(count)
  }
  setImmediate(count)
  await Promise.all(Array.from({ length: 50 }, () => database.transaction((tx) => tx.rows(sql`select 1`))))
  done = true
  expect(turns).toBeGreaterThanOrEqual(49)
  await database.close()
})

test('a killed process loses no acknowledged row, and the next one takes its directory over', async () => {
  const program = fileURLToPath(new URL('../../testing/embedded-writer.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', program, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let acknowledged = 0
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged = Number(line)
    if (acknowledged === 25) child.kill('SIGKILL')
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  const { database } = await open()
  const [row] = await database.rows<{ n: number }>(sql`select count(*) as n from written where n > 0`)
  expect(acknowledged).toBeGreaterThanOrEqual(25)
  // One more may have committed before it could be acknowledged.
  expect(row?.n).toBeGreaterThanOrEqual(acknowledged)
  expect(row?.n).toBeLessThanOrEqual(acknowledged + 1)
  await database.close()
})
