import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Database } from '../database/database.ts'
import { prepareMeta } from '../database/meta.ts'
import { migrate, migrationsFolder } from '../database/migrate.ts'
import type { TestDatabase } from './test-database.ts'

/** What migrations must do, whichever server is behind the database. */
export function migrationConformance(open: () => Promise<TestDatabase>): void {
  let opened: TestDatabase
  let database: Database
  beforeAll(async () => {
    opened = await open()
    database = opened.database
  })
  afterAll(() => opened.close())
  beforeEach(async () => {
    for (const schema of ['public', 'drizzle']) {
      await database.rows(sql.raw(`drop schema if exists ${schema} cascade`))
    }
    await database.rows(sql`create schema public`)
  })

  const newerFolder = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'mission-migrations-'))
    cpSync(migrationsFolder, folder, { recursive: true })
    const journal = JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8'))
    journal.entries.push({
      idx: 99,
      version: '7',
      when: 9_000_000_000_000,
      tag: '0099_more',
      breakpoints: true,
    })
    writeFileSync(join(folder, 'meta/_journal.json'), JSON.stringify(journal))
    const statements = 'create table more (id int);\n--> statement-breakpoint\ncreate table more (id int);'
    writeFileSync(join(folder, '0099_more.sql'), statements)
    return folder
  }

  test('an empty database gets every table and an epoch, once', async () => {
    const first = await migrate(database)
    expect(first.applied).toBeGreaterThan(0)
    expect(first.epoch).toMatch(/^[0-9a-f-]{36}$/)
    const again = await migrate(database)
    expect(again).toEqual({ applied: 0, epoch: first.epoch, mendedEvents: 0 })
    expect(await database.rows(sql`select key, value from meta order by key`)).toEqual([
      { key: 'epoch', value: first.epoch },
      { key: 'event_floor', value: '0' },
    ])
  })

  test('processes that start together migrate once', async () => {
    const reports = await Promise.all([migrate(database), migrate(database), migrate(database)])
    expect(reports.filter((report) => report.applied > 0)).toHaveLength(1)
    expect(new Set(reports.map((report) => report.epoch)).size).toBe(1)
  })

  test('a migration that fails leaves the schema as it was', async () => {
    await migrate(database)
    const folder = newerFolder()
    await expect(migrate(database, folder)).rejects.toThrow(/already exists/)
    expect(await database.rows(sql`select to_regclass('more') as more`)).toEqual([{ more: null }])
    rmSync(folder, { recursive: true })
  })

  test('a database of a newer version is refused', async () => {
    const folder = newerFolder()
    writeFileSync(join(folder, '0099_more.sql'), 'create table more (id int);')
    await migrate(database, folder)
    await expect(migrate(database)).rejects.toMatchObject({ code: 'database_unavailable' })
    rmSync(folder, { recursive: true })
  })

  test('events from a database with more transactions behind it are mended under a new epoch', async () => {
    const { epoch } = await migrate(database)
    await database.rows(sql`
      insert into event (tx, org_id, owner, kind, at)
      select tx::xid8, gen_random_uuid(), gen_random_uuid(), 'job-queued', now()
      from (values (pg_current_xact_id()::text), ('900000000000'), ('900000000001')) v(tx)`)
    const report = await prepareMeta(database)
    expect(report.mendedEvents).toBe(2)
    expect(report.epoch).not.toBe(epoch)
    expect(
      await database.rows(sql`
        select count(*) filter (where tx = '3') as settled,
          count(*) filter (where tx >= pg_snapshot_xmax(pg_current_snapshot())) as ahead from event`),
    ).toEqual([{ settled: 2, ahead: 0 }])
    expect(await prepareMeta(database)).toEqual({ epoch: report.epoch, mendedEvents: 0 })
  })
}
