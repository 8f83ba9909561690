import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { ModelRequest } from '../../domain/ports.ts'
import { type ScriptedServer, startScriptedServer, whole } from '../testing/scripted-provider-server.ts'
import { type OpenAiCompatibleOptions, openAiCompatible } from './open-ai-compatible.ts'

let server: ScriptedServer
const unhandled: unknown[] = []
const onUnhandled = (reason: unknown) => unhandled.push(reason)
beforeAll(() => {
  process.on('unhandledRejection', onUnhandled)
})
afterEach(() => server.close())
afterAll(() => {
  process.off('unhandledRejection', onUnhandled)
  expect(unhandled).toEqual([])
})

async function setup(options: Partial<OpenAiCompatibleOptions> = {}) {
  server = await startScriptedServer()
  const provider = openAiCompatible({ id: 'test', baseUrl: server.baseUrl, defaultModel: 'm', ...options })
  const deltas: string[] = []
  const abort = new AbortController()
  let resolved = false
  const run = async (more: Partial<ModelRequest> = {}) => {
    const request: ModelRequest = {
      model: 'm',
      turns: [{ role: 'user', text: 'hello' }],
      limits: { firstTokenMs: 10_000, silenceMs: 10_000, totalMs: 15_000 },
      attempt: 1,
      runKey: 'job:1',
      ...more,
    }
    const result = await provider.run(request, {
      signal: abort.signal,
      onDelta: (text) => {
        if (resolved) throw new Error('a delta came after the call resolved')
        deltas.push(text)
      },
    })
    resolved = true
    return result
  }
  return { provider, run, deltas, abort }
}

test('a whole answer: text as it came, tokens, the model that served, the request id', async () => {
  const { run, deltas } = await setup()
  server.next('Five rivers: Seine, Loire, Rhône, Garonne, Rhine.')
  const result = await run({ model: 'some-model' })
  expect(result).toEqual({
    ok: true,
    text: 'Five rivers: Seine, Loire, Rhône, Garonne, Rhine.',
    finishReason: 'stop',
    model: 'some-model',
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    inputTokens: 7,
    outputTokens: 11,
  })
  expect(deltas.length).toBeGreaterThan(2)
  expect(deltas.join('')).toBe('Five rivers: Seine, Loire, Rhône, Garonne, Rhine.')
})

test('turns, limits, key and tag are what is sent, once', async () => {
  const { run } = await setup({ apiKey: 'sk-key', maxOutputTokens: 99 })
  await run({
    turns: [
      { role: 'system', text: 'Be short.' },
      { role: 'user', text: 'one' },
      { role: 'assistant', text: 'two' },
      { role: 'user', text: 'three' },
    ],
  })
  expect(server.requests).toHaveLength(1)
  const [request] = server.requests
  expect(request?.messages).toEqual([
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'two' },
    { role: 'user', content: 'three' },
  ])
  expect(request?.body).toMatchObject({ model: 'm', stream: true, max_tokens: 99 })
  expect(request?.headers).toMatchObject({ authorization: 'Bearer sk-key', 'x-client-request-id': 'job:1' })
})

test('without a key none is sent', async () => {
  const { run } = await setup()
  await run()
  expect(server.requests[0]?.headers.authorization).toBeUndefined()
})

test('a cut at the token limit is a success that says so', async () => {
  const { run } = await setup()
  server.next(whole('Half an answer', 'length'))
  expect(await run()).toMatchObject({ ok: true, finishReason: 'length', text: 'Half an answer' })
})

test.each([
  ['end_turn', 'stop'],
  ['EOS', 'stop'],
  ['max_tokens', 'length'],
])('the finish reason %s of another server means %s', async (word, finishReason) => {
  const { run } = await setup()
  server.next(whole('An answer', word))
  expect(await run()).toMatchObject({ ok: true, finishReason })
})

// R069
test('plain JSON in answer to a stream request is read, not thrown away', async () => {
  const { run, deltas } = await setup()
  server.next((answer) =>
    answer.fail(200, {
      model: 'served',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Paid for.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
    }),
  )
  expect(await run()).toMatchObject({
    ok: true,
    text: 'Paid for.',
    model: 'served',
    inputTokens: 3,
    outputTokens: 4,
  })
  expect(deltas).toEqual(['Paid for.'])
})

// R069
test.each(['application/json', 'text/plain', ''])('a stream sent as "%s" is a stream', async (type) => {
  const { run } = await setup()
  server.next((answer) => {
    answer.response.writeHead(200, type ? { 'content-type': type } : {})
    whole('An answer')(answer)
  })
  expect(await run()).toMatchObject({ ok: true, text: 'An answer' })
})

// R083
test('NUL and lone surrogates become visible, in deltas as in the text', async () => {
  const { run, deltas } = await setup()
  server.next((answer) => {
    answer.delta('a\u0000b')
    answer.delta('\ud800c \\u0000 \ud83d')
    answer.delta('\ude00 d\ud83d')
    answer.finish()
  })
  const text = 'a\uFFFDb\uFFFDc \\u0000 😀 d\uFFFD'
  expect(await run()).toMatchObject({ ok: true, text })
  expect(deltas.join('')).toBe(text)
  for (const delta of deltas) expect(delta.isWellFormed()).toBe(true)
})

test('a provider that is done but does not hang up is not waited for', async () => {
  const { run } = await setup()
  server.next((answer) => {
    answer.delta('An answer')
    answer.raw(`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`)
  })
  expect(await run()).toMatchObject({ ok: true, text: 'An answer' })
  await server.requests[0]?.closed
  expect(server.requests[0]?.connectedMs()).toBeLessThan(1_000)
})

test('reasoning keeps the call alive and is no part of the answer', async () => {
  const { run, deltas } = await setup()
  server.next(async (answer) => {
    for (let thought = 0; thought < 5; thought += 1) {
      answer.raw(`data: {"choices":[{"index":0,"delta":{"reasoning_content":"hm "}}]}\n\n`)
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    answer.delta('42')
    answer.finish()
  })
  const result = await run({ limits: { firstTokenMs: 800, silenceMs: 800, totalMs: 9_000 } })
  expect(result).toMatchObject({ ok: true, text: '42' })
  expect(deltas).toEqual(['42'])
})

test('an answer that never ends is ended by the limit for all of it', async () => {
  const { run } = await setup()
  server.next((answer) => {
    const timer = setInterval(() => answer.delta('more '), 20)
    answer.response.once('close', () => clearInterval(timer))
  })
  const result = await run({ limits: { firstTokenMs: 5_000, silenceMs: 5_000, totalMs: 1_500 } })
  expect(result).toMatchObject({ ok: false, aborted: false, failure: { kind: 'timeout', retryable: true } })
  await server.requests[0]?.closed
  expect(server.requests[0]?.abandoned()).toBe(true)
})

// R027
test.each([
  ['before the first token', undefined],
  ['in the middle of an answer', 'Half an answer'],
])('an abort %s closes the connection within 100 ms', { retry: 2 }, async (_, opening) => {
  const { run, deltas, abort } = await setup()
  const held = server.hold(opening)
  const result = run()
  const request = await held.arrived
  while (opening && deltas.length === 0) await new Promise((resolve) => setImmediate(resolve))
  const abortedAt = performance.now()
  abort.abort(new Error('cancelled'))
  expect(await result).toMatchObject({ ok: false, aborted: true })
  await request.closed
  expect(performance.now() - abortedAt).toBeLessThan(100)
  expect(request.abandoned()).toBe(true)
  expect(deltas.join('')).toBe(opening ?? '')
})

// R027: Node's fetch loses sight of its signal when the garbage collector was there first.
test('the connection is closed even if fetch no longer listens to its signal', async () => {
  const { run, deltas, abort } = await setup({ fetch: (url, init) => fetch(url, { ...init, signal: null }) })
  const held = server.hold('Half an answer')
  const result = run()
  const request = await held.arrived
  while (deltas.length === 0) await new Promise((resolve) => setImmediate(resolve))
  abort.abort()
  expect(await result).toMatchObject({ ok: false, aborted: true })
  await request.closed
  expect(request.abandoned()).toBe(true)
})

test('a call that is aborted already sends nothing', async () => {
  const { run, abort } = await setup()
  abort.abort()
  expect(await run()).toMatchObject({ ok: false, aborted: true })
  expect(server.requests).toHaveLength(0)
})

test('a fetch that ignores its signal cannot hold the call', async () => {
  const { run, abort } = await setup({ fetch: () => new Promise(() => {}) })
  const result = run()
  abort.abort()
  expect(await result).toMatchObject({ ok: false, aborted: true })
})

test('a fetch that ignores its signal cannot outlive our limits', async () => {
  const { run } = await setup({ fetch: () => new Promise(() => {}) })
  const late = await run({
    limits: { firstTokenMs: 50, silenceMs: 50, totalMs: 50 },
  })
  expect(late).toMatchObject({ ok: false, failure: { kind: 'timeout' } })
})

test('a reader that throws fails the call, not the process', async () => {
  server = await startScriptedServer()
  const provider = openAiCompatible({ id: 'test', baseUrl: server.baseUrl, defaultModel: 'm' })
  const result = await provider.run(
    {
      model: 'm',
      turns: [{ role: 'user', text: 'x' }],
      limits: { firstTokenMs: 500, silenceMs: 500, totalMs: 500 },
      attempt: 1,
      runKey: 'k',
    },
    {
      signal: new AbortController().signal,
      onDelta: () => {
        throw new Error('draft is full')
      },
    },
  )
  expect(result).toMatchObject({ ok: false, aborted: false })
})

test('OpenAI itself is asked by the name it takes for the token limit', async () => {
  let sent: unknown
  const { run } = await setup({
    baseUrl: 'https://api.openai.com/v1',
    fetch: async (_, init) => {
      sent = JSON.parse(String(init?.body))
      return new Response('', { status: 500 })
    },
  })
  await run()
  expect(sent).toMatchObject({ max_completion_tokens: 4_096 })
  expect(sent).not.toHaveProperty('max_tokens')
})

test('calls do not share anything: twenty at once keep their own text', async () => {
  server = await startScriptedServer()
  const provider = openAiCompatible({ id: 'test', baseUrl: server.baseUrl, defaultModel: 'm' })
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      provider.run(
        {
          model: 'm',
          turns: [{ role: 'user', text: `prompt ${index}` }],
          limits: { firstTokenMs: 5_000, silenceMs: 5_000, totalMs: 9_000 },
          attempt: 1,
          runKey: `k${index}`,
        },
        { signal: new AbortController().signal, onDelta: () => {} },
      ),
    ),
  )
  expect(results.map((result) => result.ok && result.text)).toEqual(
    Array.from({ length: 20 }, (_, index) => `Answer to: prompt ${index}`),
  )
})
