import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Signal, SignalTopic } from '../../../../domain/signals.ts'
import { type TestPostgres, testPostgres } from '../../../testing/test-postgres.ts'
import type { Database } from '../../database.ts'
import { openPostgres } from '../open-postgres.ts'
import { joinProcesses } from './join-processes.ts'

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await testPostgres()
})
afterAll(() => postgres.close())

const silentLog = { info() {}, warn() {}, error() {} }
const topics: SignalTopic[] = ['job-queued', 'job-cancelled', 'deadlines', 'events', 'gates', 'schedules']

/** One process of several, and what it heard so far. */
async function joined() {
  const own = await openPostgres({ url: postgres.url, connectionsMax: 2 })
  const database = await joinProcesses(own, postgres.url, silentLog)
  onTestFinished(() => database.close())
  const heard: Signal[] = []
  const listeners = new Set<() => void>()
  for (const topic of topics) {
    database.signals.subscribe(topic, (signal) => {
      heard.push(signal)
      for (const listener of [...listeners]) listener()
    })
  }
  /** Resolves once so many signals were heard; the test's own timeout bounds it. */
  const hears = (count: number) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (heard.length < count) return
        listeners.delete(look)
        resolve()
      }
      listeners.add(look)
      look()
    })
  return { database, heard, hears }
}

function say(database: Database, ...signals: Signal[]): Promise<void> {
  return database.transaction(async (tx) => {
    for (const signal of signals) tx.signal(signal)
  })
}

test('what one process commits, the others hear, and nobody hears himself twice', async () => {
  const [one, two] = [await joined(), await joined()]
  expect(one.database.hearsOthers).toBe(true)
  await say(one.database, { topic: 'job-queued' }, { topic: 'job-cancelled', jobId: 'a' })
  await two.hears(2)
  await say(two.database, { topic: 'deadlines' })
  await one.hears(3)
  expect(one.heard).toEqual([
    { topic: 'job-queued' },
    { topic: 'job-cancelled', jobId: 'a' },
    { topic: 'deadlines' },
  ])
  expect(two.heard).toEqual(one.heard)
})

test('events arrive too, many at once, and are not sent back', async () => {
  const [one, two] = [await joined(), await joined()]
  const before = one.database.statementCount()
  await Promise.all(Array.from({ length: 5 }, () => say(one.database, { topic: 'events' })))
  await two.hears(1)
  for (let round = 1; round <= 5; round += 1) {
    // Together longer than events are gathered: an echo would be heard meanwhile.
    await say(two.database, { topic: 'deadlines' })
    await one.hears(5 + round)
  }
  const eventsOf = ({ heard }: typeof one) => heard.filter(({ topic }) => topic === 'events')
  expect(eventsOf(two).length).toBeLessThan(5)
  expect(eventsOf(one)).toHaveLength(5)
  // BEGIN and COMMIT of five, and fewer than five announcements.
  expect(one.database.statementCount() - before).toBeLessThan(15)
})

test('what was rolled back is never heard', async () => {
  const [one, two] = [await joined(), await joined()]
  const failing = one.database.transaction(async (tx) => {
    tx.signal({ topic: 'job-queued' })
    throw new Error('rolled back')
  })
  await expect(failing).rejects.toThrow('rolled back')
  await one.database.transaction(async (tx) => {
    const inner = tx.transaction(async (nested) => {
      nested.signal({ topic: 'job-queued' })
      throw new Error('undone')
    })
    await inner.catch(() => {})
    await tx.transaction(async (nested) => nested.signal({ topic: 'deadlines' }))
  })
  await two.hears(1)
  expect(two.heard).toEqual([{ topic: 'deadlines' }])
})

test('more cancelled jobs than one NOTIFY holds are all heard', async () => {
  const [one, two] = [await joined(), await joined()]
  const cancelled = Array.from({ length: 500 }, (_, index): Signal => {
    return { topic: 'job-cancelled', jobId: `0190f3c0-0000-7000-8000-${String(index).padStart(12, '0')}` }
  })
  await say(one.database, ...cancelled)
  await two.hears(500)
  expect(two.heard).toEqual(cancelled)
})

test('after a lost connection everything counts as signalled, and signals arrive again', async () => {
  const [one, two] = [await joined(), await joined()]
  await postgres.database.rows(sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query ilike 'listen%'`)
  await two.hears(topics.length - 1)
  expect(two.heard.map(({ topic }) => topic)).toEqual(topics.filter((topic) => topic !== 'job-cancelled'))
  await one.hears(topics.length - 1)
  await say(one.database, { topic: 'job-queued' })
  await two.hears(topics.length)
})
