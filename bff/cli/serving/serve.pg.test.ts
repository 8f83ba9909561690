import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { type TestPostgres, testPostgres } from '../../store/testing/test-postgres.ts'
import { signIn } from '../testing/browser-session.ts'
import { missionIn } from '../testing/mission-process.ts'

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await testPostgres()
})
afterAll(() => postgres.close())

/** Starting Node with its TypeScript loader takes seconds on a busy machine. */
const testMs = 400_000
const anything = z.looseObject({})

test(
  'a server and a worker of their own: jobs run, are cancelled across processes, and are handed back',
  async () => {
    const mission = missionIn({ DATABASE_URL: postgres.url, MISSION_DRAIN_MS: '6000' })
    const [server, worker] = await Promise.all([mission.serve(['--no-worker']), mission.worker()])
    const browser = await signIn(server.loginUrl)
    const quick = await browser.submit('Hello', 'practice-fast')
    await browser.until(quick.prompt_id, ({ state }) => state === 'succeeded')

    const cancelled = await browser.submit('Not after all', 'practice-slow')
    await browser.until(cancelled.prompt_id, ({ state }) => state === 'running')
    const answer = await mission.json(['cancel-job', cancelled.job_id], anything)
    expect(answer).toMatchObject({ state: 'cancelled', worker_id: expect.stringContaining(`:${worker.pid}`) })

    const slow = await browser.submit('Take your time', 'practice-slow')
    await browser.until(slow.prompt_id, ({ state }) => state === 'running')
    worker.kill('SIGTERM')
    expect(await worker.ended).toMatchObject({ code: 0, stderr: '' })
    const handedBack = await browser.until(slow.prompt_id, () => true)
    expect(handedBack).toMatchObject({ state: 'queued', attempt: 1 })
    expect(await mission.json(['list-jobs', '--state', 'running'], anything)).toEqual({ jobs: [] })
  },
  testMs,
)
