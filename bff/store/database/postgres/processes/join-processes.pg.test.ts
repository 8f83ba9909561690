import { afterAll, beforeAll, expect, test } from 'vitest'
import { generalSignals, type Signal } from '../../../../domain/signals.ts'
import { cutListeners, type JoinedProcess, joinedProcess } from '../../../testing/joined-process.ts'
import { type TestPostgres, testPostgres } from '../../../testing/test-postgres.ts'
import type { Database } from '../../database.ts'

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await testPostgres()
})
afterAll(() => postgres.close())

async function twoProcesses(): Promise<[JoinedProcess, JoinedProcess]> {
  return [await joinedProcess(postgres.url), await joinedProcess(postgres.url)]
}

function say(database: Database, ...signals: Signal[]): Promise<void> {
  return database.transaction(async (tx) => {
    for (const signal of signals) tx.signal(signal)
  })
}

test('what one process commits, the others hear, and nobody hears himself twice', async () => {
  const [one, two] = await twoProcesses()
  expect(one.database.hearsOthers()).toBe(true)
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

test('signals of every topic for others arrive as they were said, each distinct one once', async () => {
  const [one, two] = await twoProcesses()
  const dueAt = '2026-03-12T12:00:00.000Z'
  const said: Signal[] = [
    { topic: 'job-queued' },
    { topic: 'job-queued', dueAt },
    { topic: 'gates' },
    { topic: 'schedules' },
    { topic: 'session-ended', tokenDigest: 'ab'.repeat(32) },
    { topic: 'deadlines' },
  ]
  await say(one.database, ...said, { topic: 'job-queued', dueAt }, { topic: 'signals-missed' }, ...said)
  await two.hears(said.length)
  // Whatever else was sent would arrive before this.
  await say(one.database, { topic: 'job-cancelled', jobId: 'last' })
  await two.hears(said.length + 1)
  expect(two.heard).toEqual([...said, { topic: 'job-cancelled', jobId: 'last' }])
})

test('events arrive too, many at once, and are not sent back', async () => {
  const [one, two] = await twoProcesses()
  const before = one.database.statementCount()
  await Promise.all(Array.from({ length: 5 }, () => say(one.database, { topic: 'events' })))
  await two.hears(1)
  for (let round = 1; round <= 5; round += 1) {
    // Together longer than events are gathered: an echo would be heard meanwhile.
    await say(two.database, { topic: 'deadlines' })
    await one.hears(5 + round)
  }
  const eventsOf = ({ heard }: JoinedProcess) => heard.filter(({ topic }) => topic === 'events')
  expect(eventsOf(two).length).toBeLessThan(5)
  expect(eventsOf(one)).toHaveLength(5)
  // BEGIN and COMMIT of five, and fewer than five announcements.
  expect(one.database.statementCount() - before).toBeLessThan(15)
})

test('events that are said with what others must act on are heard with it, whatever becomes of the sayer', async () => {
  const [one, two] = await twoProcesses()
  await say(one.database, { topic: 'events' }, { topic: 'job-queued' })
  await two.hears(2)
  expect(two.heard.slice(0, 2)).toEqual([{ topic: 'job-queued' }, { topic: 'events' }])
})

test('what was rolled back is never heard', async () => {
  const [one, two] = await twoProcesses()
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
  const [one, two] = await twoProcesses()
  const cancelled = Array.from({ length: 500 }, (_, index): Signal => {
    return { topic: 'job-cancelled', jobId: `0190f3c0-0000-7000-8000-${String(index).padStart(12, '0')}` }
  })
  await say(one.database, ...cancelled)
  await two.hears(500)
  expect(two.heard).toEqual(cancelled)
})

test('after a lost connection everything counts as signalled, and signals arrive again', async () => {
  const [one, two] = await twoProcesses()
  await cutListeners(postgres.database)
  await Promise.all([one.hears(generalSignals.length), two.hears(generalSignals.length)])
  expect(two.heard).toEqual(generalSignals)
  await say(one.database, { topic: 'job-cancelled', jobId: 'a' })
  await two.hears(generalSignals.length + 1)
})

test('where nothing is ever heard, everything counts as signalled again and again', async () => {
  const deaf = async () => ({ close: async () => {} })
  const pooled = await joinedProcess(postgres.url, { ...impatient, listen: deaf })
  expect(pooled.database.hearsOthers()).toBe(false)
  await pooled.hears(3 * generalSignals.length)
  expect(pooled.heard.slice(0, generalSignals.length)).toEqual(generalSignals)
})

test('who hears itself at last looks by itself no more', async () => {
  let origin = ''
  let hear = (_payload: string): void => {}
  const late = await joinedProcess(postgres.url, {
    ...impatient,
    listen: async ({ onPayload }) => {
      hear = (payload) => onPayload('mission_field_signals', payload)
      return { close: async () => {} }
    },
    interpose: (own) => ({
      ...own,
      rows: (statement) => {
        // The first statement is the probe, whose payload says who sent it.
        origin ||= /"origin[\\":]+([\w-]{36})/.exec(JSON.stringify(statement.queryChunks))?.[1] ?? ''
        return own.rows(statement)
      },
    }),
  })
  const deaf = await joinedProcess(postgres.url, {
    ...impatient,
    listen: async () => ({ close: async () => {} }),
  })
  await late.hears(1)
  hear(JSON.stringify({ origin, signals: [] }))
  expect(late.database.hearsOthers()).toBe(true)
  await deaf.hears(generalSignals.length)
  const heard = late.heard.length
  await deaf.hears(5 * generalSignals.length)
  expect(late.heard.length).toBe(heard)
})

const impatient = { probeMs: 20, pollMs: 20 }
