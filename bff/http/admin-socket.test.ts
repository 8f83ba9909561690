import { mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { v7 as uuidV7 } from 'uuid'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { problem } from '../../shared/problem.ts'
import { DomainError } from '../domain/errors.ts'
import { submitPrompt } from '../execution/submit-prompt.ts'
import { until } from '../execution/testing/until.ts'
import { type TestDatabase, testDatabase } from '../store/testing/test-database.ts'
import {
  askAnswer,
  jobDetailsAnswer,
  jobRow,
  jobsAnswer,
  loginLinkAnswer,
  reclaimAnswer,
} from './admin-contract.ts'
import { idleStatusAnswer, queueMetricsAnswer } from './admin-queue-contract.ts'
import { type AdminParts, adminApp, listenAdmin } from './admin-socket.ts'
import { testHttp } from './testing/test-http.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

const archived = {
  before: '2026-03-01T00:00:00.000Z',
  dry_run: true,
  jobs: 3,
  ledger_rows: 0,
  events: 0,
  files: [],
}
const operationParts = { archive: async () => archived, ending: new AbortController().signal }

function setup(parts: Partial<AdminParts> = {}) {
  const http = testHttp(db.database)
  const app = adminApp(http.execution, {
    loginUrl: (token) => `http://127.0.0.1:7410/login/${token}`,
    runOnce: async () => ({ claimed: 0 }),
    doctor: async () => ({ ok: true, checks: [] }),
    backup: async ({ path }) => ({ path, bytes: 1 }),
    ...operationParts,
    ...parts,
  })
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await app.request(`http://admin${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: await answer.json() }
  }
  return { http, call }
}

describe('the admin side', () => {
  it('prints a link that signs the owner in', async () => {
    const { http, call } = setup()
    const { url } = loginLinkAnswer.parse((await call('POST', '/login-link')).body)
    const opened = await http.call(new URL(url).pathname)
    expect(opened.status).toBe(303)
  })

  it('lists, shows, cancels and retries jobs of anybody, in the name of who acts', async () => {
    const { http, call } = setup()
    const { who } = await http.visitor()
    const { job_id } = await submitPrompt(http.execution, who, { text: 'Why?' })
    await submitPrompt(http.execution, (await http.visitor()).who, { text: 'Another' })
    expect(jobsAnswer.parse((await call('GET', '/jobs')).body).jobs).toHaveLength(2)
    const { jobs } = jobsAnswer.parse((await call('GET', `/jobs?state=queued&org=${who.orgId}&limit=1`)).body)
    expect(jobs).toMatchObject([{ job_id, prompt: 'Why?' }])
    const since = encodeURIComponent(new Date(http.clock.now().getTime() + 1).toISOString())
    expect((await call('GET', `/jobs?since=${since}`)).body).toEqual({ jobs: [] })

    const cancelled = await call('POST', `/jobs/${job_id}/cancel`, { actor: 'cli:ada' })
    expect(jobRow.parse(cancelled.body).state).toBe('cancelled')
    const retried = jobRow.parse((await call('POST', `/jobs/${job_id}/retry`)).body)
    expect([retried.state, retried.job_id === job_id]).toEqual(['queued', false])
    const details = jobDetailsAnswer.parse((await call('GET', `/jobs/${job_id}`)).body)
    expect(JSON.stringify(details.events)).toContain('cli:ada')
    expect(reclaimAnswer.parse((await call('POST', '/reclaim')).body)).toEqual({ requeued: [], failed: [] })
  })

  it('passes on what only the serving process can do', async () => {
    const asked: unknown[] = []
    const { call } = setup({
      runOnce: async (body) => {
        asked.push(body)
        return { claimed: 2 }
      },
    })
    expect(await call('POST', '/worker/run-once', { batch_size: 2 })).toEqual({
      status: 200,
      body: { claimed: 2 },
    })
    expect(await call('POST', '/worker/run-once')).toMatchObject({ status: 200 })
    expect(asked).toEqual([{ batch_size: 2 }, {}])
    expect((await call('GET', '/doctor')).body).toEqual({ ok: true, checks: [] })
    expect((await call('POST', '/backup', { path: '/tmp/b' })).body).toEqual({ path: '/tmp/b', bytes: 1 })
  })

  it('tells how the queue stands, archives, and deletes in the name of who acts', async () => {
    const { http, call } = setup()
    const { who } = await http.visitor()
    const { job_id, prompt_id } = await submitPrompt(http.execution, who, { text: 'Why?' })
    const metrics = queueMetricsAnswer.parse((await call('GET', `/queue-metrics?org=${who.orgId}`)).body)
    expect([metrics.all.queued, metrics.oldest_waiting?.job_id]).toEqual([1, job_id])
    const status = idleStatusAnswer.parse((await call('GET', '/idle-status')).body)
    expect(status).toMatchObject({ quiet: false, blockers: [{ kind: 'queued-job', job_id }] })
    expect((await call('POST', '/archive', { dry_run: true })).body).toEqual(archived)

    expect((await call('POST', `/prompts/${prompt_id}/delete`, { actor: 'cli:ada' })).status).toBe(200)
    const details = jobDetailsAnswer.parse((await call('GET', `/jobs/${job_id}`)).body)
    expect(details.state).toBe('cancelled')
    expect(JSON.stringify(details.events)).toContain('cli:ada')
    const next = await submitPrompt(http.execution, who, { text: 'And that?' })
    expect((await call('POST', `/threads/${next.prompt_id}/delete`)).status).toBe(200)
    expect((await call('GET', '/idle-status')).body).toMatchObject({ quiet: true })
  })

  it('answers who asks once the prompt has settled; leaving ends the waiting only', async () => {
    const { http, call } = setup()
    const prompt_id = uuidV7()
    const asking = call('POST', '/ask', { prompt_id, text: 'Why?', priority: 7 })
    await until(async () => (await http.worker.claimOnce()).claimed === 1)
    ;(await http.provider.call(0)).answer('Because.')
    expect(askAnswer.parse((await asking).body)).toMatchObject({
      view: { prompt_id, state: 'succeeded', priority: 7 },
      answer: { text: 'Because.' },
    })

    const ending = new AbortController()
    const leaving = setup({ ending: ending.signal })
    const second = uuidV7()
    const waiting = leaving.call('POST', '/ask', { prompt_id: second, text: 'And then?' })
    await until(async () => (await leaving.http.worker.claimOnce()).claimed === 1)
    const provided = await leaving.http.provider.call(0)
    ending.abort(new DomainError('not_ready', 'The server ends.'))
    expect(await waiting).toMatchObject({ status: 503, body: { code: 'not_ready' } })
    expect(provided.options.signal.aborted).toBe(false)
    provided.answer('Later.')
    await leaving.http.worker.idle()
    const { jobs } = jobsAnswer.parse((await call('GET', '/jobs?limit=1')).body)
    expect(jobs).toMatchObject([{ prompt_id: second, state: 'succeeded' }])
  })

  it.for<[string, string, unknown, number]>([
    ['GET', `/jobs/${uuidV7()}`, undefined, 404],
    ['GET', '/jobs/1', undefined, 400],
    ['GET', '/jobs?state=done', undefined, 400],
    ['GET', '/jobs?limit=0', undefined, 400],
    ['GET', '/jobs?since=yesterday', undefined, 400],
    ['GET', '/jobs?status=queued', undefined, 400],
    ['POST', `/jobs/${uuidV7()}/cancel`, { who: 'me' }, 400],
    ['POST', `/jobs/${uuidV7()}/retry`, {}, 404],
    ['POST', '/worker/run-once', { batch_size: 0 }, 400],
    ['POST', '/worker/run-once', { priority_ceiling: 101 }, 400],
    ['POST', '/backup', {}, 400],
    ['POST', '/backup', { path: 'relative' }, 400],
    ['GET', '/queue-metrics?org=home', undefined, 400],
    ['GET', '/queue-metrics?until=2026-01-01', undefined, 400],
    ['POST', '/archive', { before: 'yesterday' }, 400],
    ['POST', '/archive', { days: 3 }, 400],
    ['POST', '/ask', { text: 'Why?' }, 400],
    ['POST', '/ask', { prompt_id: uuidV7(), text: ' ' }, 400],
    ['POST', '/ask', { prompt_id: uuidV7(), text: 'Why?', priority: 101 }, 400],
    ['POST', `/prompts/${uuidV7()}/delete`, undefined, 404],
    ['POST', `/threads/${uuidV7()}/delete`, undefined, 404],
    ['POST', '/prompts/1/delete', undefined, 400],
    ['GET', '/nothing', undefined, 404],
  ])('%s %s is refused with a problem', async ([method, path, body, status]) => {
    const { call } = setup()
    const answer = await call(method, path, body)
    expect([answer.status, problem.parse(answer.body).status]).toEqual([status, status])
  })
})

describe('the socket', () => {
  it('is its owner’s alone, replaces what a killed server left, and goes with the server', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mission-admin-'))
    const path = join(folder, 'admin.sock')
    await leaveStale(path)
    const { http } = setup()
    const app = adminApp(http.execution, {
      loginUrl: (token) => token,
      runOnce: async () => ({ claimed: 0 }),
      doctor: async () => ({ ok: true, checks: [] }),
      backup: async () => ({ path, bytes: 0 }),
      ...operationParts,
    })
    const listening = await listenAdmin(app, path)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(await get(path, '/doctor')).toBe('{"ok":true,"checks":[]}')
    await listening.close(100)
    expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined()
    writeFileSync(path, 'mine')
    await expect(listenAdmin(app, path)).rejects.toThrow('not a socket')
    await expect(listenAdmin(app, join(folder, 'x'.repeat(120)))).rejects.toThrow('too long')
    rmSync(folder, { recursive: true })
  })
})

/** A socket file that nobody listens on, as SIGKILL leaves it. */
async function leaveStale(path: string): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(`${path}.bound`, resolve))
  renameSync(`${path}.bound`, path)
  await new Promise((resolve) => server.close(resolve))
  expect(statSync(path).isSocket()).toBe(true)
}

function get(socketPath: string, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, path, agent: false }, (response) => {
      let text = ''
      response.on('data', (chunk) => (text += chunk)).on('end', () => resolve(text))
    })
    sent.on('error', reject).end()
  })
}
