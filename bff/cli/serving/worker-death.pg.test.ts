import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { startScriptedServer } from '../../adapters/testing/scripted-provider-server.ts'
import { everythingWritten } from '../../store/testing/everything-written.ts'
import { type TestPostgres, testPostgres } from '../../store/testing/test-postgres.ts'
import { signIn } from '../testing/browser-session.ts'
import { claimOf } from '../testing/claim-of.ts'
import { missionIn } from '../testing/mission-process.ts'

let postgres: TestPostgres
beforeAll(async () => {
  postgres = await testPostgres()
})
beforeEach(() => postgres.truncate())
afterAll(() => postgres.close())

/** Starting Node with its TypeScript loader takes seconds on a busy machine. */
const testMs = 400_000
const details = z.looseObject({ ledger: z.array(z.looseObject({})) })
const crashed = { run: 1, attempt: 1, counted: true, error_kind: 'worker_crash' }
const isRunningAgain = ({ state, attempt }: { state: string; attempt: number }) =>
  state === 'running' && attempt > 1

test(
  'the job of a worker that is killed runs elsewhere within its lease and a second',
  async () => {
    const leaseMs = 3_000
    const { mission, browser, workers } = await startAll(2, { MISSION_LEASE_MS: String(leaseMs) })
    const { prompt_id, job_id } = await browser.submit('Take your time', 'practice-slow')
    await browser.until(prompt_id, ({ state }) => state === 'running')
    const first = await claimOf(postgres.database, job_id, 1)
    const killedAtMs = Date.now()
    workers.find(({ pid }) => pid === first.pid)?.kill('SIGKILL')
    await browser.until(prompt_id, isRunningAgain)
    const second = await claimOf(postgres.database, job_id, 2)
    expect(second.pid).not.toBe(first.pid)
    expect(second.atMs - killedAtMs).toBeLessThanOrEqual(leaseMs + 1_000)
    expect((await mission.json(['job-details', job_id], details)).ledger[0]).toMatchObject(crashed)
  },
  testMs,
)

test(
  'a worker that returns after its lease writes nothing, whether its answer arrives or not',
  async () => {
    const provider = await startScriptedServer()
    const { mission, browser, workers } = await startAll(1, {
      MISSION_LEASE_MS: '4000',
      OPENAI_BASE_URL: provider.baseUrl,
      MISSION_MODEL: 'scripted',
    })
    const answered = provider.hold('Once upon ')
    const silent = provider.hold()
    provider.otherwise('The second answer.')
    const prompts = [await browser.submit('One'), await browser.submit('Two')]
    const calls = await Promise.all([answered.arrived, silent.arrived])
    const [paused] = workers
    paused?.kill('SIGSTOP')
    await mission.worker()
    for (const { prompt_id } of prompts) {
      const done = await browser.until(prompt_id, ({ state }) => state === 'succeeded')
      expect(done.attempt).toBe(2)
    }
    const before = await everythingWritten(postgres.database)

    answered.release('a time, too late.')
    paused?.kill('SIGCONT')
    await Promise.all(calls.map(({ closed }) => closed))
    // The silent one could only end by the worker's own doing: it found its claims lost at its heartbeat.
    expect(calls[1]?.abandoned()).toBe(true)
    paused?.kill('SIGTERM')
    expect(await paused?.ended).toMatchObject({ code: 0, stderr: '' })
    expect(await everythingWritten(postgres.database)).toEqual(before)
    expect(provider.requests).toHaveLength(4)
    await provider.close()
  },
  testMs,
)

test(
  'a second SIGTERM ends a worker at once, and the lease does the rest',
  async () => {
    const { mission, browser, workers } = await startAll(1, {
      MISSION_LEASE_MS: '4000',
      MISSION_DRAIN_MS: '120000',
    })
    const { prompt_id, job_id } = await browser.submit('Take your time', 'practice-slow')
    await browser.until(prompt_id, ({ state }) => state === 'running')
    const [worker] = workers
    if (!worker) throw new Error('there is no worker')
    worker.kill('SIGTERM')
    await mission.logged(worker.pid, 'worker ends')
    const askedAtMs = Date.now()
    worker.kill('SIGTERM')
    expect((await worker.ended).code).toBe(143)
    // Tens of ms on a machine of its own; waiting for the attempt, as after the first, would take many seconds.
    expect(Date.now() - askedAtMs).toBeLessThan(1_000)
    await mission.worker()
    await browser.until(prompt_id, isRunningAgain)
    expect((await mission.json(['job-details', job_id], details)).ledger[0]).toMatchObject(crashed)
  },
  testMs,
)

/** A server and so many workers of their own, with a heartbeat of a tenth of the lease. */
async function startAll(count: number, settings: Record<string, string>) {
  const mission = missionIn({ DATABASE_URL: postgres.url, MISSION_MODEL: 'practice', ...settings })
  const [server, ...workers] = await Promise.all([
    mission.serve(['--no-worker']),
    ...Array.from({ length: count }, () => mission.worker()),
  ])
  return { mission, browser: await signIn(server.loginUrl), workers }
}
