import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { joinedProcess } from '../../../testing/joined-process.ts'
import { type TestPostgres, testPostgres } from '../../../testing/test-postgres.ts'
import type { Database } from '../../database.ts'

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await testPostgres()
  await postgres.database.rows(sql`create table note (id int primary key)`)
})
beforeEach(() => postgres.truncate())
afterAll(() => postgres.close())

/** A process whose announcements, which are its only statements outside transactions, wait for the test. */
async function withHeldAnnouncements() {
  let held: Promise<void> | null = null
  let fails = false
  let sent = 0
  const process = await joinedProcess(postgres.url, {
    interpose: (own) => ({
      ...own,
      rows: async (statement) => {
        await held
        if (fails) throw new Error('the announcement was lost')
        sent += 1
        return own.rows(statement)
      },
    }),
  })
  return {
    ...process,
    sent: () => sent,
    hold() {
      let release = (): void => {}
      held = new Promise((resolve) => {
        release = resolve
      })
      return release
    },
    lose() {
      fails = true
    },
  }
}

function note(database: Database, id: number): Promise<void> {
  return database.transaction(
    async (tx) => {
      await tx.rows(sql`insert into note values (${id})`)
      tx.signal({ topic: 'job-queued' })
      tx.signal({ topic: 'events' })
    },
    { announce: 'after' },
  )
}

const notes = async () => (await postgres.database.rows(sql`select id from note`)).length

test('a transaction that is announced afterwards is committed first, and resolves once others were told', async () => {
  const one = await withHeldAnnouncements()
  const two = await joinedProcess(postgres.url)
  const release = one.hold()
  let resolved = false
  const noted = note(one.database, 1).then(() => {
    resolved = true
  })
  await one.hears(2)
  expect(await notes()).toBe(1)
  expect([resolved, two.heard]).toEqual([false, []])
  release()
  await noted
  await two.hears(2)
  expect(two.heard.map(({ topic }) => topic).sort()).toEqual(['events', 'job-queued'])
})

test('many at once share announcements', async () => {
  const one = await withHeldAnnouncements()
  const two = await joinedProcess(postgres.url)
  const release = one.hold()
  const before = one.sent()
  const noted = Array.from({ length: 50 }, (_, id) => note(one.database, id))
  await one.hears(100)
  release()
  await Promise.all(noted)
  await two.hears(2)
  expect(one.sent() - before).toBeLessThanOrEqual(3)
})

test('one that could not be announced throws though it is committed, and saying it again tells the others', async () => {
  const one = await withHeldAnnouncements()
  const two = await joinedProcess(postgres.url)
  one.lose()
  await expect(note(one.database, 1)).rejects.toThrow('the announcement was lost')
  expect([await notes(), two.heard]).toEqual([1, []])
  const three = await joinedProcess(postgres.url)
  await three.database.announce([{ topic: 'job-queued' }])
  await two.hears(1)
  expect([two.heard, three.heard]).toEqual([[{ topic: 'job-queued' }], [{ topic: 'job-queued' }]])
})
