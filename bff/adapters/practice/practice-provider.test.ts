import { expect, test } from 'vitest'
import type { AttemptResult, Clock, ModelRequest, ProviderFailure } from '../../domain/ports.ts'
import { practiceProvider } from './practice-provider.ts'

const limits = { firstTokenMs: 60_000, silenceMs: 60_000, totalMs: 600_000 }

function request(text: string, more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: 'practice',
    turns: [{ role: 'user', text }],
    limits,
    attempt: 1,
    runKey: 'job:1',
    ...more,
  }
}

function setup(paceScale = 0) {
  const provider = practiceProvider({ paceScale })
  const deltas: string[] = []
  const run = (of: ModelRequest, signal = new AbortController().signal) =>
    provider.run(of, { signal, onDelta: (text) => deltas.push(text) })
  return { provider, deltas, run }
}

function answered(result: AttemptResult | ProviderFailure): AttemptResult {
  if (!result.ok) throw new Error(`not answered: ${result.failure.message}`)
  return result
}

function failureOf(result: AttemptResult | ProviderFailure): ProviderFailure['failure'] {
  if (result.ok || result.aborted) throw new Error('it did not fail')
  return result.failure
}

/** A clock whose pauses pass at once and are added up. */
function countingClock() {
  let nowMs = 0
  const pauses: number[] = []
  const clock: Clock = {
    now: () => new Date(nowMs),
    at: (at, fire) => {
      pauses.push(at.getTime() - nowMs)
      nowMs = at.getTime()
      queueMicrotask(fire)
      return () => {}
    },
  }
  return { clock, pauses, totalMs: () => nowMs }
}

test('the first sentence says what it is, and the opening words come back', async () => {
  const { run, deltas } = setup()
  const result = answered(await run(request('Name five rivers of France')))
  expect(result.text).toMatch(/^This is practice text from the practice provider, and no model wrote it\./)
  expect(result.text).toContain('“Name five rivers of France”')
  expect(result.text).toContain('| --- |')
  expect(result).toMatchObject({ finishReason: 'stop', model: 'practice' })
  expect(deltas.join('')).toBe(result.text)
})

test('the echo carries no markup of the prompt and no unstorable text', async () => {
  const result = answered(await setup().run(request('<img src=x onerror=alert(1)>\u0000\ud800')))
  expect(result.text).not.toContain('<img')
  expect(result.text).not.toContain('\u0000')
  expect(result.text.isWellFormed()).toBe(true)
})

test.each([
  ['practice', 2_000, 4_000, 400],
  ['practice-slow', 19_000, 21_000, 3_000],
  ['practice-long', 10_000, 14_000, 400],
])('%s keeps its pace', async (model, leastMs, mostMs, firstMs) => {
  const { clock, pauses, totalMs } = countingClock()
  const deltas: string[] = []
  const provider = practiceProvider({ clock })
  const result = answered(
    await provider.run(request('go', { model }), {
      signal: new AbortController().signal,
      onDelta: (text) => deltas.push(text),
    }),
  )
  expect(pauses[0]).toBe(firstMs)
  expect(totalMs()).toBeGreaterThan(leastMs)
  expect(totalMs()).toBeLessThan(mostMs)
  expect(deltas.length).toBeGreaterThan(20)
  expect(deltas.join('')).toBe(result.text)
})

test('practice-fast waits for nothing', async () => {
  const { clock, pauses } = countingClock()
  const provider = practiceProvider({ clock })
  await provider.run(request('go', { model: 'practice-fast' }), {
    signal: new AbortController().signal,
    onDelta: () => {},
  })
  expect(pauses).toEqual([])
})

test('practice-long writes about 1,500 words', async () => {
  const { text } = answered(await setup().run(request('go', { model: 'practice-long' })))
  const words = text.split(/\s+/).length
  expect(words).toBeGreaterThan(1_400)
  expect(words).toBeLessThan(1_800)
})

test('flaky fails twice and then succeeds, by the attempt alone', async () => {
  const { run } = setup()
  for (const attempt of [1, 2, 1]) {
    expect(failureOf(await run(request('Flaky: name five rivers', { attempt })))).toMatchObject({
      kind: 'provider_5xx',
      retryable: true,
    })
  }
  expect((await run(request('Flaky: name five rivers', { attempt: 3 }))).ok).toBe(true)
})

test('rate-limited names its wait once, then answers', async () => {
  const { run } = setup()
  const of = request('go', { model: 'practice-rate-limited' })
  expect(failureOf(await run(of))).toMatchObject({ kind: 'rate_limit', retryable: true, retryAfterMs: 2_000 })
  expect((await run(of)).ok).toBe(true)
  expect((await run(of)).ok).toBe(false)
})

test('a retry after fail-once succeeds, and other prompts are not mixed up with it', async () => {
  const { run } = setup()
  expect(failureOf(await run(request('fail-once: a')))).toMatchObject({
    kind: 'provider_4xx',
    retryable: false,
  })
  expect((await run(request('fail-once: b'))).ok).toBe(false)
  expect((await run(request('fail-once: a'))).ok).toBe(true)
})

test.each([
  ['practice-failing', 'Fail: x', 'provider_4xx', false],
  ['practice-broken', 'BROKEN: x', 'unknown', true],
  ['practice-filtered', 'filtered : x', 'provider_4xx', false],
] as const)('%s fails every time, by model and by opening word', async (model, text, kind, retryable) => {
  const { run, deltas } = setup()
  for (const of of [request('go', { model }), request(text), request(text, { attempt: 3 })]) {
    const fault = failureOf(await run(of))
    expect(fault).toMatchObject({ kind, retryable })
    expect(fault.message).toMatch(/^Practice: /)
  }
  expect(deltas).toEqual([])
})

test('an opening word plays nothing when a model was chosen, or when it is none of the words', async () => {
  const { run } = setup()
  expect((await run(request('fail: x', { model: 'practice-fast' }))).ok).toBe(true)
  expect((await run(request('constructor: x'))).ok).toBe(true)
  expect((await run(request('failure: x'))).ok).toBe(true)
})

test('truncated ends by length in the middle', async () => {
  const result = answered(await setup().run(request('truncated: x')))
  expect(result.finishReason).toBe('length')
  expect(result.text).not.toContain('To get real answers')
})

test('stall ends by the limit for the first token', async () => {
  const { run } = setup()
  const fault = failureOf(await run(request('stall: x', { limits: { ...limits, firstTokenMs: 10 } })))
  expect(fault).toMatchObject({ kind: 'timeout', retryable: true })
})

test('an abort is seen at once and nothing comes after it', async () => {
  const { run, deltas } = setup(1)
  const abort = new AbortController()
  const stalled = run(request('stall: x'), abort.signal)
  const slow = run(request('slow: x'), abort.signal)
  const startedAt = performance.now()
  abort.abort()
  for (const result of [await stalled, await slow]) expect(result).toMatchObject({ ok: false, aborted: true })
  expect(performance.now() - startedAt).toBeLessThan(100)
  expect(await run(request('go'), abort.signal)).toMatchObject({ ok: false, aborted: true })
  expect(deltas).toEqual([])
})

test('a model that is none of its own is refused by name', async () => {
  const fault = failureOf(await setup().run(request('go', { model: 'gpt-9' })))
  expect(fault).toMatchObject({ kind: 'provider_4xx', retryable: false })
  expect(fault.message).toContain('gpt-9')
})

test('every model it lists plays something', async () => {
  const { provider, run } = setup()
  expect(provider.models()[0]).toBe(provider.defaultModel)
  for (const model of provider.models()) {
    const result = await run(request('go', { model, limits: { ...limits, firstTokenMs: 5 } }))
    if (!result.ok) expect(result.failure.message).toMatch(/^Practice: /)
  }
})
