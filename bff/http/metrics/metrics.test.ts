import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { prometheusText } from '../../../shared/endpoint.ts'
import { DomainError } from '../../domain/errors.ts'
import { failure } from '../../domain/failure.ts'
import { interposedDatabase } from '../../execution/testing/interposed-database.ts'
import { type TestDatabase, testDatabase } from '../../store/testing/test-database.ts'
import { sseReader } from '../testing/sse-reader.ts'
import { type TestHttp, testHttp } from '../testing/test-http.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
beforeEach(() => db.truncate())
afterAll(() => db.close())

/** Every sample of a scrape, by its name with labels, as Prometheus would read it. */
async function scrape(http: TestHttp): Promise<{ samples: Map<string, number>; text: string }> {
  const response = await http.call('/metrics')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe(prometheusText)
  const text = await response.text()
  const samples = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line): [string, number] => {
      const cut = line.lastIndexOf(' ')
      return [line.slice(0, cut), Number(line.slice(cut + 1))]
    })
  return { samples: new Map(samples), text }
}

async function submit(http: TestHttp, cookie: string, body: object): Promise<string> {
  const { prompt_id } = await http.json('/api/v1/prompt', { method: 'POST', cookie, body })
  return String(prompt_id)
}

test('what waits and runs is counted when somebody asks, over all processes', async () => {
  const http = testHttp(db.database)
  const { cookie } = await http.visitor()
  const first = await submit(http, cookie, { text: 'One' })
  await submit(http, cookie, { text: 'Two', parent_id: first })
  await http.call(`/api/v1/prompts/${first}/cancel`, { method: 'POST', cookie })
  await submit(http, cookie, { text: 'Three' })
  await submit(http, cookie, { text: 'Four', options: { scheduled_for: '2030-01-01T00:00:00Z' } })
  await http.worker.claimOnce()
  const { samples } = await scrape(http)
  expect(samples.get('mission_jobs{state="queued"}')).toBe(1)
  expect(samples.get('mission_jobs{state="running"}')).toBe(1)
  expect(samples.get('mission_jobs{state="held"}')).toBe(1)
  expect(samples.get('mission_database_up')).toBe(1)
  expect(samples.get('mission_build_info{version="test"}')).toBe(1)
  await http.worker.drain(0)
})

test('a scrape costs one statement, and scrapes at the same time share it', async () => {
  const http = testHttp(db.database)
  await scrape(http)
  const before = db.database.statementCount()
  await Promise.all([scrape(http), scrape(http), scrape(http)])
  expect(db.database.statementCount() - before).toBe(1)
})

test('moves, waits, runs and calls of this process are counted', async () => {
  const http = testHttp(db.database)
  const { cookie } = await http.visitor()
  await submit(http, cookie, { text: 'Ask' })
  http.clock.advance(40)
  await http.worker.claimOnce()
  ;(await http.provider.call(0)).fail({ failure: failure('timeout', 'Slow.') })
  await http.worker.idle()
  http.clock.advance(5_000)
  await http.worker.claimOnce()
  const call = await http.provider.call(1)
  http.clock.advance(200)
  call.options.onDelta('An')
  call.answer('Answer')
  await http.worker.idle()
  const { samples } = await scrape(http)
  const transitions = [...samples].filter(([name]) => name.startsWith('mission_job_transitions_total'))
  expect(Object.fromEntries(transitions)).toEqual({
    'mission_job_transitions_total{from="none",to="queued",error_kind="none"}': 1,
    'mission_job_transitions_total{from="queued",to="running",error_kind="none"}': 2,
    'mission_job_transitions_total{from="running",to="queued",error_kind="timeout"}': 1,
    'mission_job_transitions_total{from="running",to="succeeded",error_kind="none"}': 1,
  })
  expect(samples.get('mission_job_wait_seconds_count')).toBe(2)
  expect(samples.get('mission_job_wait_seconds_sum')).toBeCloseTo(0.04)
  expect(samples.get('mission_job_run_seconds_sum{to="succeeded"}')).toBeCloseTo(0.2)
  expect(samples.get('mission_time_to_first_token_seconds_sum{provider="scripted"}')).toBeCloseTo(0.2)
  expect(samples.get('mission_provider_calls_total{provider="scripted",outcome="timeout"}')).toBe(1)
  expect(samples.get('mission_provider_calls_total{provider="scripted",outcome="answered"}')).toBe(1)
})

test('a closed gate shows, and an open one too', async () => {
  const http = testHttp(db.database)
  const { cookie } = await http.visitor()
  expect((await scrape(http)).samples.get('mission_provider_gate_closed{provider="scripted"}')).toBe(0)
  await submit(http, cookie, { text: 'Ask' })
  await http.worker.claimOnce()
  ;(await http.provider.call(0)).fail({ failure: failure('rate_limit', 'Later.') })
  await http.worker.idle()
  expect((await scrape(http)).samples.get('mission_provider_gate_closed{provider="scripted"}')).toBe(1)
})

test('requests are counted by template, never by address; streams while they are open', async () => {
  const http = testHttp(db.database)
  const { cookie } = await http.visitor()
  const id = await submit(http, cookie, { text: 'Ask' })
  await http.call(`/api/v1/prompts/${id}`, { cookie })
  await http.call(`/api/v1/prompts/${id}`)
  await http.call('/api/v1/nothing-here', { cookie })
  await http.call('/some/page')
  await http.call('/healthz', { method: 'BREW' })
  const stream = sseReader(
    await http.app.request('http://127.0.0.1:7410/api/v1/mission/events', { headers: { cookie } }),
  )
  await stream.next()
  const { samples, text } = await scrape(http)
  const count = (labels: string) => samples.get(`mission_http_request_duration_seconds_count{${labels}}`)
  expect(count('route="/api/v1/prompts/{prompt_id}",method="GET",status="200"')).toBe(1)
  expect(count('route="/api/v1/prompt",method="POST",status="202"')).toBe(1)
  expect(count('route="other",method="GET",status="401"')).toBe(1)
  expect(count('route="other",method="GET",status="404"')).toBeGreaterThanOrEqual(1)
  expect(count('route="other",method="other",status="405"')).toBe(1)
  expect(text).not.toContain(id)
  expect(text).not.toContain('nothing-here')
  expect(samples.get('mission_sse_clients')).toBe(1)
  await stream.leave()
  expect((await scrape(http)).samples.get('mission_sse_clients')).toBe(0)
})

test('nothing personal is told: no text, no person, no org', async () => {
  const http = testHttp(db.database)
  const { cookie, who } = await http.visitor()
  const id = await submit(http, cookie, { text: 'Xylophone quartz' })
  await http.worker.claimOnce()
  ;(await http.provider.call(0)).answer('Marimba')
  await http.worker.idle()
  const { text } = await scrape(http)
  for (const private_ of ['Xylophone', 'Marimba', id, who.orgId, who.personId]) {
    expect(text).not.toContain(private_)
  }
})

test('Node’s own are there from the first scrape on, under their usual names', async () => {
  const http = testHttp(db.database)
  const { text } = await scrape(http)
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m)
  expect(text).toMatch(/^process_resident_memory_bytes /m)
  expect(text).toMatch(/^mission_database_statements_total \d+$/m)
})

test('without its database a scrape still answers, and leaves out what it cannot know', async () => {
  let gone = false
  const http = testHttp(
    interposedDatabase(db.database, {
      before() {
        if (gone) throw new DomainError('database_unavailable', 'Gone.')
      },
    }),
  )
  expect((await scrape(http)).samples.get('mission_database_up')).toBe(1)
  gone = true
  const { samples, text } = await scrape(http)
  expect(samples.get('mission_database_up')).toBe(0)
  expect(text).not.toMatch(/^mission_jobs\{/m)
})

test('a page of another site cannot read it', async () => {
  const http = testHttp(db.database)
  expect((await http.call('/metrics', { headers: { host: 'evil.example' } })).status).toBe(403)
  expect((await http.call('/metrics', { headers: { origin: 'https://evil.example' } })).status).toBe(403)
})
