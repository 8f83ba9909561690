import { createServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ErrorKind } from '../../../shared/job.ts'
import type { CallLimits } from '../../domain/ports.ts'
import { type FaultName, faults, leakedKey, startFaultServer } from '../testing/fault-server.ts'
import { openAiCompatible } from './open-ai-compatible.ts'

const limits: CallLimits = { firstTokenMs: 10_000, silenceMs: 10_000, totalMs: 15_000 }
/** For faults that only our own limits end. */
const limitsFor: Partial<Record<FaultName, CallLimits>> = {
  silence: { ...limits, firstTokenMs: 250 },
  'keep-alive-only': { ...limits, firstTokenMs: 250 },
  'error-body-stall': { ...limits, firstTokenMs: 250 },
  stall: { ...limits, silenceMs: 250 },
}
const apiKey = 'sk-our-own-key-42'

let server: Awaited<ReturnType<typeof startFaultServer>>
beforeAll(async () => {
  server = await startFaultServer()
})
afterAll(() => server.close())

async function callTo(baseUrl: string, more: { apiKey?: string; limits?: CallLimits } = {}) {
  const key = more.apiKey ?? apiKey
  const provider = openAiCompatible({ id: 'test', baseUrl, defaultModel: 'm', apiKey: key })
  const deltas: string[] = []
  const result = await provider.run(
    {
      model: 'm',
      turns: [{ role: 'user', text: 'hello' }],
      limits: more.limits ?? limits,
      attempt: 1,
      runKey: 'run:1',
    },
    { signal: new AbortController().signal, onDelta: (text) => deltas.push(text) },
  )
  return { result, deltas }
}

async function failureFrom(baseUrl: string, more: { apiKey?: string; limits?: CallLimits } = {}) {
  const { result, deltas } = await callTo(baseUrl, more)
  if (result.ok || result.aborted) throw new Error(`it did not fail: ${JSON.stringify(result)}`)
  return { ...result.failure, deltas, requestId: result.requestId }
}

/** Fault → kind, may be retried, words its sentence must have. */
const expectations: Record<FaultName, readonly [ErrorKind, boolean, RegExp?]> = {
  'rate-limit-seconds': ['rate_limit', true, /5 s/],
  'rate-limit-date': ['rate_limit', true, /10 s/],
  'rate-limit-ms': ['rate_limit', true, /3 s/],
  'rate-limit-zero': ['rate_limit', true],
  'rate-limit-junk': ['rate_limit', true, /Waiting helps/],
  'rate-limit-century': ['rate_limit', true, /after 24 h/],
  'rate-limit-bare': ['rate_limit', true],
  quota: ['rate_limit', false, /quota/],
  'quota-by-sentence': ['rate_limit', false, /quota/],
  'quota-402': ['rate_limit', false, /credit/],
  'quota-400': ['rate_limit', false, /credit/],
  'limit-by-minute': ['rate_limit', true, /7 s/],
  'status-500': ['provider_5xx', true, /\(500, request req-1\)/],
  'status-503': ['provider_5xx', true, /503/],
  'status-503-wait': ['provider_5xx', true, /20 s/],
  'status-529': ['provider_5xx', true, /overloaded/],
  'status-502-html': ['provider_5xx', true, /502/],
  'status-520-html': ['provider_5xx', true, /520/],
  'status-401': ['auth', false, /refused the key/],
  'status-403': ['auth', false, /403/],
  'status-404': ['provider_4xx', false, /no model “m”/],
  'status-400': ['provider_4xx', false, /“Unsupported value for temperature”/],
  'status-400-markup': ['provider_4xx', false, /refused the request/],
  'status-400-key': ['provider_4xx', false, /refused the request/],
  'status-400-foreign': ['provider_4xx', false, /400/],
  'status-422-detail': ['provider_4xx', false, /422/],
  'too-long': ['provider_4xx', false, /too long/],
  'status-413': ['provider_4xx', false, /too long/],
  'status-408': ['timeout', true],
  'status-409': ['provider_4xx', true],
  // R071
  'prompt-filter': ['provider_4xx', false, /Blocked by the provider’s filter for violence/],
  redirect: ['provider_4xx', false, /leads elsewhere/],
  'hang-up': ['provider_5xx', true, /connection .* broke/],
  silence: ['timeout', true, /sent nothing for 0.3 s/],
  stall: ['timeout', true, /fell silent/],
  'keep-alive-only': ['timeout', true, /sent nothing/],
  'error-body-stall': ['timeout', true],
  'reset-mid-stream': ['provider_5xx', true, /broke/],
  'ends-early': ['parse', true, /broke off/],
  'ends-early-done': ['parse', true, /broke off/],
  'empty-stream': ['parse', true, /empty/],
  'empty-stream-done': ['parse', true, /empty/],
  'html-200': ['parse', true, /web page/],
  'html-200-as-stream': ['parse', true, /web page/],
  'text-200': ['parse', true],
  'empty-200': ['parse', true, /empty/],
  'empty-204': ['parse', true, /empty/],
  'error-in-200': ['provider_5xx', true],
  'error-in-200-as-stream': ['provider_4xx', false],
  'error-string-in-200': ['provider_5xx', true],
  'limit-in-200': ['rate_limit', true],
  // R067
  'event-error-number': ['provider_5xx', true, /503/],
  'event-error-string': ['provider_5xx', true],
  'event-error-first': ['provider_5xx', true, /overloaded/],
  'event-error-named': ['provider_5xx', true],
  'event-error-as-text': ['provider_5xx', true],
  'event-error-own-field': ['provider_5xx', true],
  'event-error-after-choices': ['provider_5xx', true, /502/],
  'broken-line': ['parse', true, /could not be read/],
  'broken-line-open': ['parse', true, /could not be read/],
  // R057
  'cut-frame-then-error': ['provider_5xx', true, /503/],
  'cut-frame-glued-to-error': ['provider_5xx', true, /503/],
  'cut-frame-then-event': ['provider_5xx', true, /503/],
  'foreign-event': ['parse', true],
  // R065
  'no-choices': ['parse', false],
  'no-choices-json': ['parse', false],
  'foreign-json': ['parse', false],
  'broken-json': ['parse', true, /cut off/],
  // R071
  'finish-filter': ['provider_4xx', false, /Blocked by the provider’s filter/],
  'finish-filter-text': ['provider_4xx', false, /filter/],
  refusal: ['provider_4xx', false],
  'null-content': ['provider_4xx', false, /gave no text/],
  'null-content-json': ['provider_4xx', false, /gave no text/],
  'empty-text': ['parse', true, /empty/],
  'blank-text': ['parse', true, /empty/],
  'length-without-text': ['parse', false],
  'tool-call': ['parse', false],
  'unknown-finish': ['parse', true],
}

// R061, R063, R079: one plain sentence or two, whatever the body was.
test.each(Object.keys(faults).filter(isFaultName))('%s', async (fault) => {
  server.play(fault)
  const before = server.requests.length
  const [kind, retryable, words] = expectations[fault]
  const found = await failureFrom(server.baseUrl, { limits: limitsFor[fault] })
  expect(found, found.message).toMatchObject({ kind, retryable })
  if (words) expect(found.message).toMatch(words)
  expect(found.message).toMatch(/^[A-Z].*[.;] .*\.$/)
  expect(found.message).not.toMatch(/[<>{}[\]]|https?:|undefined|null\b/)
  expect(found.message).not.toContain(leakedKey)
  expect(found.message).not.toContain(apiKey)
  expect(found.message.length).toBeLessThanOrEqual(500)
  expect(server.requests.length, 'one call is one request').toBe(before + 1)
})

function isFaultName(name: string): name is FaultName {
  return name in faults
}

// R059
test.each([
  ['rate-limit-seconds', 5_000],
  ['rate-limit-date', 10_000],
  ['rate-limit-ms', 2_500],
  ['rate-limit-zero', 1_000],
  ['rate-limit-junk', undefined],
  ['rate-limit-century', 24 * 60 * 60 * 1_000],
  ['rate-limit-bare', undefined],
  ['quota', undefined],
  ['status-503-wait', 20_000],
] as const)('%s waits %s ms', async (fault, waitMs) => {
  server.play(fault)
  expect((await failureFrom(server.baseUrl)).retryAfterMs).toBe(waitMs)
})

test('a refusal keeps the provider’s request id', async () => {
  server.play('status-404')
  expect((await failureFrom(server.baseUrl)).requestId).toBe('req-1')
})

test.each(['event-error-number', 'reset-mid-stream', 'stall', 'cut-frame-then-error'] as const)(
  '%s leaves what was received to the caller',
  async (fault) => {
    server.play(fault)
    expect((await failureFrom(server.baseUrl, { limits: limitsFor[fault] })).deltas.join('')).toBe(
      'Half an answer',
    )
  },
)

test('without a key the sentence asks for one', async () => {
  server.play('status-401')
  expect((await failureFrom(server.baseUrl, { apiKey: '' })).message).toContain('none is set')
})

test('nothing listens', async () => {
  const port = await closedPort()
  expect(await failureFrom(`http://127.0.0.1:${port}/v1`)).toMatchObject({
    kind: 'provider_5xx',
    retryable: true,
    message: `Nothing answers at 127.0.0.1:${port}. Start the model server or check the base URL, then retry.`,
  })
  expect(await failureFrom(`http://localhost:${port}/v1`)).toMatchObject({
    kind: 'provider_5xx',
    retryable: true,
  })
})

test.each([
  '127.0.0.1/v1',
  'localhost:11434/v1',
  'http://',
  'ftp://127.0.0.1/v1',
  'http://u:p@127.0.0.1/v1',
  'http://127.0.0.1:1/v1',
])('the base URL %s cannot be used', async (baseUrl) => {
  const found = await failureFrom(baseUrl)
  expect(found).toMatchObject({ kind: 'provider_4xx', retryable: false })
  expect(found.message).toContain('base URL')
})

test('TLS against a server that speaks none', async () => {
  const found = await failureFrom(server.baseUrl.replace('http:', 'https:'))
  expect(found).toMatchObject({ kind: 'provider_4xx', retryable: false })
})

test('a server that does not speak HTTP', async () => {
  const other = createServer((socket) => socket.resume().end('SSH-2.0-OpenSSH_9.2\r\n'))
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const address = other.address()
  const port = typeof address === 'object' ? address?.port : undefined
  expect(await failureFrom(`http://127.0.0.1:${port}/v1`)).toMatchObject({ kind: 'parse', retryable: true })
  await new Promise((resolve) => other.close(resolve))
})

test('a key that no header can carry', async () => {
  expect(await failureFrom(server.baseUrl, { apiKey: 'ключ-от-поля' })).toMatchObject({
    kind: 'auth',
    retryable: false,
  })
})

async function closedPort(): Promise<number> {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const address = other.address()
  await new Promise((resolve) => other.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
