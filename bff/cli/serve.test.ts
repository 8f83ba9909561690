import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod/mini'
import { signIn } from './testing/browser-session.ts'
import { missionIn } from './testing/mission-process.ts'

/** Starting Node with its TypeScript loader takes seconds on a busy machine. */
const testMs = 240_000
const unknownId = '0190f3c0-0000-7000-8000-000000000000'
const oneLine = /^mission: [^\n]+\n$/
const jobs = z.object({ jobs: z.array(z.looseObject({ job_id: z.string(), state: z.string() })) })
const job = z.looseObject({ job_id: z.string(), prompt_id: z.string(), state: z.string() })

test(
  'while a server runs, verbs reach its data through its socket, and a second server is refused',
  async () => {
    const mission = missionIn({ OPENAI_API_KEY: '', MISSION_MODEL: 'practice-fast' })
    const server = await mission.serve()
    const browser = await signIn(server.loginUrl)
    expect(browser.status).toBe(303)
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200)

    const prompt = await browser.submit('Hello', 'practice-fast')
    await browser.until(prompt.prompt_id, ({ state }) => state === 'succeeded')
    const slow = await browser.submit('Hello again', 'practice-slow')
    await browser.until(slow.prompt_id, ({ state }) => state === 'running')

    const running = await mission.json(['list-jobs', '--state', 'running'], jobs)
    expect(running.jobs).toMatchObject([{ job_id: slow.job_id, prompt_id: slow.prompt_id, attempt: 1 }])
    const details = await mission.json(['job-details', prompt.job_id.toUpperCase()], z.looseObject({}))
    expect(details).toMatchObject({ job_id: prompt.job_id, state: 'succeeded', ledger: [{ attempt: 1 }] })
    expect(await mission.json(['cancel-job', slow.job_id], job)).toMatchObject({ state: 'cancelled' })
    const retried = await mission.json(['retry-job', slow.job_id], job)
    expect(retried).toMatchObject({
      prompt_id: slow.prompt_id,
      state: expect.stringMatching(/queued|running/),
    })
    expect(retried.job_id).not.toBe(slow.job_id)

    const table = await mission.run(['list-jobs'])
    expect(table).toMatchObject({ code: 0, stderr: '' })
    expect(table.stdout.split('\n')[0]).toMatch(/^JOB +STATE/)
    expect(table.stdout).toContain(prompt.job_id)

    const second = await mission.run(['serve'])
    expect(second).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(oneLine) })
    expect(second.stderr).toContain(`process ${server.pid}`)
    const worker = await mission.run(['run-worker'])
    expect(worker).toMatchObject({ code: 1, stderr: expect.stringMatching(oneLine) })
    const unknown = await mission.run(['job-details', unknownId])
    expect(unknown).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(oneLine) })
    const again = await mission.run(['cancel-job', prompt.job_id])
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('state_conflict') })
  },
  testMs,
)

test(
  'a link signs in once, and another comes from login-link',
  async () => {
    const mission = missionIn()
    const server = await mission.serve()
    const first = await signIn(server.loginUrl)
    expect((await first.get('/api/v1/session')).status).toBe(200)
    expect((await signIn(server.loginUrl)).status).toBe(410)
    const { url } = await mission.json(['login-link'], z.object({ url: z.string() }))
    expect(url).toMatch(new RegExp(`^${server.url}/login/`))
    expect((await signIn(url)).status).toBe(303)
    expect(statSync(join(mission.dataDir, 'admin.sock')).mode & 0o777).toBe(0o600)
    expect(statSync(join(mission.dataDir, 'log/mission.ndjson')).mode & 0o777).toBe(0o600)
    expect(await mission.json(['doctor'], z.looseObject({}))).toMatchObject({
      ok: true,
      checks: expect.arrayContaining([
        expect.objectContaining({ name: 'lock', says: expect.stringContaining(`process ${server.pid}`) }),
        expect.objectContaining({ name: 'provider', says: expect.stringMatching(/^Practice/) }),
        expect.objectContaining({ name: 'durability', ok: true, says: expect.stringContaining('fsynced') }),
      ]),
    })
  },
  testMs,
)

test(
  'run-worker --once beside a server that runs no jobs claims through it',
  async () => {
    const mission = missionIn()
    const server = await mission.serve(['--no-worker'])
    const browser = await signIn(server.loginUrl)
    const prompts = [
      await browser.submit('One', 'practice-fast'),
      await browser.submit('Two', 'practice-fast'),
    ]
    const claimed = z.object({ claimed: z.number() })
    expect(await mission.json(['run-worker', '--once', '--batch-size', '1'], claimed)).toEqual({ claimed: 1 })
    expect(await mission.json(['run-worker', '--once'], claimed)).toEqual({ claimed: 1 })
    for (const { prompt_id } of prompts) await browser.until(prompt_id, ({ state }) => state === 'succeeded')
  },
  testMs,
)

test(
  'SIGTERM hands a running job back uncounted, and the next process finds it queued',
  async () => {
    const mission = missionIn({ MISSION_DRAIN_MS: '4000' })
    const server = await mission.serve()
    const browser = await signIn(server.loginUrl)
    const prompt = await browser.submit('Take your time', 'practice-slow')
    await browser.until(prompt.prompt_id, ({ state }) => state === 'running')
    const askedAt = Date.now()
    server.kill('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0, stderr: '' })
    expect(Date.now() - askedAt).toBeLessThan(4_000)
    expect(existsSync(join(mission.dataDir, 'pglite.lock'))).toBe(false)

    const details = await mission.json(['job-details', prompt.job_id], z.looseObject({}))
    expect(details).toMatchObject({ state: 'queued', attempt: 1, run: 1, ledger: [{ counted: false }] })
    const log = readFileSync(join(mission.dataDir, 'log/mission.ndjson'), 'utf8')
    expect(log).toContain(prompt.job_id)
    expect(log).not.toContain(new URL(server.loginUrl).pathname)
  },
  testMs,
)

test(
  'after kill -9 the next server takes the lock over and runs the lost job at once',
  async () => {
    const mission = missionIn()
    const killed = await mission.serve()
    const before = await signIn(killed.loginUrl)
    const prompt = await before.submit('Survive', 'practice-slow')
    await before.until(prompt.prompt_id, ({ state }) => state === 'running')
    killed.kill('SIGKILL')
    await killed.ended

    const server = await mission.serve()
    const readyAt = Date.now()
    const after = await signIn(server.loginUrl)
    await after.until(prompt.prompt_id, ({ state, attempt }) => state === 'running' && attempt === 2)
    // The lease is five minutes: nobody waited for it.
    expect(Date.now() - readyAt).toBeLessThan(5_000)
  },
  testMs,
)

test(
  'a server outlives its terminal',
  async () => {
    const mission = missionIn()
    const server = await mission.serve()
    server.closeStdout()
    server.kill('SIGTERM')
    expect((await server.ended).code).toBe(0)
  },
  testMs,
)

test(
  'a port in use is one plain line',
  async () => {
    const mission = missionIn()
    const holder = createServer()
    const port = await new Promise<number>((resolve) => {
      holder.listen(0, '127.0.0.1', () => {
        const address = holder.address()
        resolve(address !== null && typeof address === 'object' ? address.port : 0)
      })
    })
    onTestFinished(() => void holder.close())
    const refused = await mission.run(['serve', '--port', String(port)])
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(oneLine) })
    expect(refused.stderr).toContain(`Port ${port}`)
  },
  testMs,
)

test(
  'refused settings are one plain line, before anything is made',
  async () => {
    const mission = missionIn()
    const unknown = await mission.run(['serve'], { MISSION_PROT: '1' })
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringMatching(oneLine) })
    expect(unknown.stderr).toContain('MISSION_PROT')
    const foreign = await mission.run(['serve'], { MISSION_HOST: '0.0.0.0' })
    expect(foreign).toMatchObject({ code: 1, stderr: expect.stringMatching(oneLine) })
    expect(foreign.stderr).toContain('accounts_required')
    expect(existsSync(join(mission.dataDir, 'pglite'))).toBe(false)
  },
  testMs,
)
