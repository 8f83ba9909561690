import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod/mini'
import { signIn } from '../testing/browser-session.ts'
import { type Ended, missionIn } from '../testing/mission-process.ts'

/** Starting Node with its TypeScript loader takes seconds on a busy machine. */
const testMs = 400_000
const unknownId = '0190f3c0-0000-7000-8000-000000000000'
const jobs = z.object({ jobs: z.array(z.looseObject({ job_id: z.string(), state: z.string() })) })
const job = z.looseObject({ job_id: z.string(), prompt_id: z.string(), state: z.string() })
const claimed = z.object({ claimed: z.number() })
const anything = z.looseObject({})

test(
  'while a server runs, verbs reach its data through its socket, and nobody else opens it',
  async () => {
    const mission = missionIn()
    const server = await mission.serve(['--no-worker'])
    const browser = await signIn(server.loginUrl)
    expect(browser.status).toBe(303)
    expect((await signIn(server.loginUrl)).status).toBe(410)
    const { url } = await mission.json(['login-link'], z.object({ url: z.string() }))
    expect(url).toMatch(new RegExp(`^${server.url}/login/`))
    expect((await signIn(url)).status).toBe(303)
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
    expect(modeOf(mission.dataDir, 'admin.sock')).toBe(0o600)
    expect(modeOf(mission.dataDir, 'log/mission.ndjson')).toBe(0o600)

    const first = await browser.submit('Hello', 'practice-fast')
    const second = await browser.submit('Hello again', 'practice-fast')
    const batch = ['run-worker', '--once', '--batch-size', '1']
    expect(await mission.json(batch, claimed)).toEqual({ claimed: 1 })
    await browser.until(first.prompt_id, ({ state }) => state === 'succeeded')
    const waiting = await mission.json(['list-jobs', '--state', 'queued'], jobs)
    expect(waiting.jobs).toMatchObject([{ job_id: second.job_id, prompt_id: second.prompt_id, attempt: 1 }])
    const details = await mission.json(['job-details', first.job_id.toUpperCase()], anything)
    expect(details).toMatchObject({ job_id: first.job_id, state: 'succeeded', ledger: [{ attempt: 1 }] })
    expect(await mission.json(['cancel-job', second.job_id], job)).toMatchObject({ state: 'cancelled' })
    const retried = await mission.json(['retry-job', second.job_id], job)
    expect(retried).toMatchObject({ prompt_id: second.prompt_id, state: 'queued' })
    expect(retried.job_id).not.toBe(second.job_id)
    const table = await mission.run(['list-jobs'])
    expect(table).toMatchObject({ code: 0, stderr: '' })
    expect(table.stdout.split('\n')[0]).toMatch(/^JOB +STATE/)
    expect(table.stdout).toContain(first.job_id)

    const refusals = [
      [['serve'], `process ${server.pid}`],
      [['run-worker'], 'DATABASE_URL'],
      [['job-details', unknownId], 'not_found'],
      [['cancel-job', first.job_id], 'state_conflict'],
    ] as const
    for (const [args, says] of refusals) expectRefusal(await mission.run(args), says)
    expect(await mission.json(['doctor'], anything)).toMatchObject({
      checks: expect.arrayContaining([
        expect.objectContaining({ name: 'lock', says: expect.stringContaining(`process ${server.pid}`) }),
        expect.objectContaining({ name: 'provider', says: expect.stringMatching(/^Practice/) }),
        expect.objectContaining({ name: 'durability', ok: true, says: expect.stringContaining('fsynced') }),
      ]),
    })

    const file = join(mission.dataDir, 'all.backup')
    expect(await mission.json(['backup', file], anything)).toEqual({ path: file, bytes: statSync(file).size })
    const elsewhere = missionIn()
    await elsewhere.json(['restore', file], anything)
    const restored = await elsewhere.json(['job-details', first.job_id], anything)
    expect(restored).toMatchObject({ job_id: first.job_id, state: 'succeeded' })
    expectRefusal(await elsewhere.run(['restore', file]), 'state_conflict')
  },
  testMs,
)

test(
  'a running job outlives its server: handed back uncounted by SIGTERM, reclaimed at once after kill -9',
  async () => {
    const mission = missionIn({ MISSION_DRAIN_MS: '6000' })
    const drained = await mission.serve()
    const browser = await signIn(drained.loginUrl)
    const { prompt_id, job_id } = await browser.submit('Take your time', 'practice-slow')
    await browser.until(prompt_id, ({ state }) => state === 'running')
    drained.closeStdout() // as a terminal that goes away
    const askedAt = Date.now()
    drained.kill('SIGTERM')
    expect(await drained.ended).toMatchObject({ code: 0, stderr: '' })
    expect(Date.now() - askedAt).toBeLessThan(6_000)
    expect(existsSync(join(mission.dataDir, 'pglite.lock'))).toBe(false)
    const log = readFileSync(join(mission.dataDir, 'log/mission.ndjson'), 'utf8')
    expect(log).toContain(job_id)
    expect(log).not.toContain(new URL(drained.loginUrl).pathname)

    const details = await mission.json(['job-details', job_id], anything)
    expect(details).toMatchObject({ state: 'queued', attempt: 1, run: 1, ledger: [{ counted: false }] })
    const port = await usedPort()
    expectRefusal(await mission.run(['serve', '--port', String(port)]), `Port ${port}`)

    const killed = await mission.serve()
    const before = await signIn(killed.loginUrl)
    await before.until(prompt_id, ({ state }) => state === 'running')
    killed.kill('SIGKILL')
    await killed.ended
    const server = await mission.serve()
    const after = await signIn(server.loginUrl)
    const { attempt } = await after.until(prompt_id, ({ state }) => state === 'running')
    // The lease is five minutes and the test ends before: nobody waited for it.
    expect(attempt).toBe(2)
  },
  testMs,
)

test(
  'refused settings are one plain line, before anything is made',
  async () => {
    const mission = missionIn()
    expectRefusal(await mission.run(['serve'], { MISSION_PROT: '1' }), 'MISSION_PROT')
    expectRefusal(await mission.run(['serve'], { MISSION_HOST: '0.0.0.0' }), 'accounts_required')
    expect(existsSync(join(mission.dataDir, 'pglite'))).toBe(false)
  },
  testMs,
)

function expectRefusal(ended: Ended, says: string): void {
  expect(ended).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^mission: [^\n]+\n$/) })
  expect(ended.stderr).toContain(says)
}

function modeOf(...path: string[]): number {
  return statSync(join(...path)).mode & 0o777
}

/** A port of this machine that somebody else listens on, until the test ends. */
async function usedPort(): Promise<number> {
  const holder = createServer()
  onTestFinished(() => void holder.close())
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve))
  const address = holder.address()
  if (address === null || typeof address === 'string') throw new Error('it listens on no port')
  return address.port
}
