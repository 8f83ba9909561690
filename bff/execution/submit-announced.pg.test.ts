import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { joinedProcess } from '../store/testing/joined-process.ts'
import { type TestPostgres, testPostgres } from '../store/testing/test-postgres.ts'
import { submitPrompt } from './submit-prompt.ts'
import { testExecution } from './testing/test-execution.ts'

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await testPostgres()
})
beforeEach(() => postgres.truncate())
afterAll(() => postgres.close())

/** A server whose announcements fail while `lost` is set, and another process that hears what arrives. */
async function setup() {
  const announcements = { lost: false, count: 0 }
  const server = await joinedProcess(postgres.url, {
    interpose: (own) => ({
      ...own,
      rows: async (statement) => {
        if (!JSON.stringify(statement.queryChunks).includes('pg_notify')) return own.rows(statement)
        announcements.count += 1
        if (announcements.lost) throw new Error('the announcement was lost')
        return own.rows(statement)
      },
    }),
  })
  const other = await joinedProcess(postgres.url)
  const test = testExecution(server.database)
  return { announcements, server, other, execution: test.execution, me: await test.person() }
}

const queued = { topic: 'job-queued' }
const jobs = async () => (await postgres.database.rows(sql`select from job`)).length

it('who got no answer because others could not be told sends again, and that tells them', async () => {
  const { announcements, other, execution, me } = await setup()
  const request = { prompt_id: '0190f3c0-0000-7000-8000-000000000001', text: 'Ask' }
  announcements.lost = true
  await expect(submitPrompt(execution, me, request)).rejects.toThrow('the announcement was lost')
  expect([await jobs(), other.heard]).toEqual([1, []])
  announcements.lost = false
  const answer = await submitPrompt(execution, me, request)
  expect([await jobs(), answer.state]).toEqual([1, 'queued'])
  await other.hears(1)
  expect(other.heard).toContainEqual(queued)
})

it('many submits share one announcement, and are answered once it was sent', async () => {
  const { announcements, other, execution, me } = await setup()
  const before = announcements.count
  await Promise.all(Array.from({ length: 50 }, (_, n) => submitPrompt(execution, me, { text: `Ask ${n}` })))
  expect(announcements.count - before).toBeLessThanOrEqual(2)
  await other.hears(1)
  expect(other.heard).toContainEqual(queued)
})
