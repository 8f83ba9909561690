import { createServer } from 'node:http'
import { expect, onTestFinished, test, vi } from 'vitest'
import * as z from 'zod/mini'
import type { RunReport } from '../../domain/watched-facts.ts'
import { openTelemetry } from './open-telemetry.ts'

const at = (ms: number) => new Date(Date.UTC(2026, 2, 12) + ms)

const run: RunReport = {
  jobId: '0190f3c0-0000-7000-8000-000000000001',
  promptId: '0190f3c0-0000-7000-8000-000000000002',
  run: 2,
  attempt: 1,
  queuedMs: 40,
  startedAt: at(0),
  endedAt: at(900),
  steps: [
    { step: 'context', startedAt: at(0), endedAt: at(10), broken: false },
    { step: 'call', startedAt: at(10), endedAt: at(800), broken: false },
    { step: 'settle', startedAt: at(800), endedAt: at(900), broken: false },
  ],
  call: {
    provider: 'openai',
    model: 'gpt-x',
    servedModel: 'gpt-x-2026',
    requestId: 'req-1',
    finishReason: 'stop',
    inputTokens: 12,
    outputTokens: 34,
    firstTokenMs: 120,
    outcome: 'answered',
  },
}

const attribute = z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) })
const span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.optional(z.string()),
  name: z.string(),
  kind: z.number(),
  startTimeUnixNano: z.string(),
  endTimeUnixNano: z.string(),
  attributes: z.array(attribute),
  status: z.object({ code: z.number(), message: z.optional(z.string()) }),
})
const posted = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(attribute) }),
      scopeSpans: z.array(z.object({ spans: z.array(span) })),
    }),
  ),
})

/** A collector on loopback that keeps what arrives, and answers with `status`, or never if that is null. */
async function collector(status: number | null = 200) {
  const requests: { path: string | undefined; body: string }[] = []
  let arrived = (): void => {}
  const first = new Promise<void>((resolve) => (arrived = resolve))
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      requests.push({ path: request.url, body: Buffer.concat(chunks).toString() })
      arrived()
      if (status !== null) response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('it listens on no port')
  return { url: `http://127.0.0.1:${address.port}`, requests, first }
}

/** Opened with these variables, which the SDK reads from the process itself. */
async function opened(environment: Record<string, string>) {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
  const lines: [string, Record<string, unknown>][] = []
  const keep = (fields: Record<string, unknown>, message: string) => void lines.push([message, fields])
  const log = { info: keep, warn: keep, error: keep }
  const telemetry = await openTelemetry({ environment: process.env, version: '1.2.3', log })
  if (telemetry === null) throw new Error('no telemetry')
  onTestFinished(() => telemetry.close(100))
  return { telemetry, lines }
}

function plain(attributes: z.infer<typeof attribute>[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}

test('without a collector nothing is opened', async () => {
  const log = { info() {}, warn() {}, error() {} }
  const none = { version: '1', log }
  expect(await openTelemetry({ ...none, environment: {} })).toBeNull()
  const off = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_SDK_DISABLED: 'true' }
  expect(await openTelemetry({ ...none, environment: off })).toBeNull()
})

test('a run is one trace: its steps below it, with their times and the conventions of GenAI', async () => {
  const { url, requests } = await collector()
  const { telemetry, lines } = await opened({
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=desk',
  })
  telemetry.onRun(run)
  await telemetry.close(5_000)
  expect(requests.map(({ path }) => path)).toEqual(['/v1/traces'])
  const { resourceSpans } = posted.parse(JSON.parse(requests[0]?.body ?? ''))
  expect(plain(resourceSpans[0]?.resource.attributes ?? [])).toMatchObject({
    'service.name': 'mission-field',
    'service.version': '1.2.3',
    'deployment.environment.name': 'desk',
  })
  const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
  const named = (name: string) => {
    const found = spans.filter((one) => one.name === name)
    expect(found, name).toHaveLength(1)
    return z.parse(span, found[0])
  }
  const whole = named('job.run')
  const [context, call, settle] = [named('build context'), named('model.call'), named('settle')]
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
  for (const step of [context, call, settle]) expect(step.parentSpanId).toBe(whole.spanId)
  expect(whole.parentSpanId ?? '').toBe('')
  expect(whole.endTimeUnixNano).toBe(`${run.endedAt.getTime()}000000`)
  expect(call.startTimeUnixNano).toBe(`${at(10).getTime()}000000`)
  expect(plain(whole.attributes)).toMatchObject({
    'mission.job.id': run.jobId,
    'mission.prompt.id': run.promptId,
    'mission.job.run': 2,
  })
  expect(plain(call.attributes)).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'gpt-x',
    'gen_ai.response.model': 'gpt-x-2026',
    'gen_ai.usage.input_tokens': 12,
    'gen_ai.usage.output_tokens': 34,
  })
  expect(lines).toEqual([])
})

test('a failure is told by its kind, a cancelled call is none', async () => {
  const { url, requests } = await collector()
  const { telemetry } = await opened({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/traces` })
  const [call] = [run.call].filter((one) => one !== null)
  if (!call) throw new Error('no call')
  telemetry.onRun({ ...run, call: { ...call, outcome: 'timeout' } })
  telemetry.onRun({ ...run, call: { ...call, outcome: 'cancelled' } })
  await telemetry.close(5_000)
  expect(requests.map(({ path }) => path)).toEqual(['/traces'])
  const { resourceSpans } = posted.parse(JSON.parse(requests[0]?.body ?? ''))
  const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
  const calls = spans.filter(({ name }) => name === 'model.call')
  expect(calls.map(({ status, attributes }) => [status.code, plain(attributes)['error.type']])).toEqual([
    [2, 'timeout'],
    [0, undefined],
  ])
})

test('a collector that refuses is told of once, and its words stay unsaid', async () => {
  const { url } = await collector(400)
  const { telemetry, lines } = await opened({ OTEL_EXPORTER_OTLP_ENDPOINT: url })
  telemetry.onRun(run)
  await telemetry.close(5_000)
  expect(lines.map(([message]) => message)).toEqual(['traces do not reach the collector'])
})

test('a collector that never answers holds nobody up', async () => {
  const { url, first } = await collector(null)
  const { telemetry } = await opened({ OTEL_EXPORTER_OTLP_ENDPOINT: url })
  telemetry.onRun(run)
  const before = performance.now()
  const closed = telemetry.close(200)
  await first
  await closed
  expect(performance.now() - before).toBeLessThan(2_000)
  telemetry.onRun(run)
})
