import { describe, expect, test } from 'vitest'
import { callTimeoutMs, createApiClient } from './api-client.ts'
import { ApiProblem, errorSentence, isDefiniteRefusal, Offline, SignedOut } from './api-error.ts'
import { idOf, makeView } from './testing/make-view.ts'
import { createManualClock, settled } from './testing/manual-clock.ts'
import { createScriptedServer, makeSession, problemBody, type Reply } from './testing/scripted-server.ts'

function setup() {
  const clock = createManualClock()
  const server = createScriptedServer()
  let signedOut = 0
  const api = createApiClient({ fetch: server.fetch, clock, onSignedOut: () => signedOut++ })
  return { clock, server, api, signedOut: () => signedOut }
}

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('what is asked', () => {
  test('paths, queries and bodies are those of the contract', async () => {
    const { server, api } = setup()
    server.on(/POST/, () => ({ status: 204 }))
    await api.markSeen([{ prompt_id: idOf(1), job_id: idOf(2) }])
    await api.readViews([idOf(1), idOf(2)])
    await api.readRecent({ since: 'a b', limit: 7 })
    await api.setShown(idOf(3), [idOf(1)])
    expect(server.calls).toEqual([
      { method: 'POST', path: '/prompts/seen', body: { prompts: [{ prompt_id: idOf(1), job_id: idOf(2) }] } },
      { method: 'GET', path: `/mission/views?ids=${idOf(1)}%2C${idOf(2)}`, body: undefined },
      { method: 'GET', path: '/mission/recent?since=a+b&limit=7', body: undefined },
      { method: 'PUT', path: `/mission/streams/${idOf(3)}/shown`, body: { prompt_ids: [idOf(1)] } },
    ])
  })

  test('answers come back parsed', async () => {
    const { server, api } = setup()
    server.rows.set(idOf(1), makeView(1))
    expect(await api.readSession()).toEqual(makeSession())
    expect((await api.readViews([idOf(1)])).views).toEqual([makeView(1)])
  })
})

describe('what goes wrong', () => {
  test('a refusal says what, where and with which state', async () => {
    const { server, api } = setup()
    server.on(/cancel/, () =>
      problemBody(409, 'state_conflict', 'It has already ended.', { state: 'succeeded', job_id: idOf(9) }),
    )
    const error = await failure(api.cancelPrompt(idOf(1)))
    expect(error).toBeInstanceOf(ApiProblem)
    expect(error).toMatchObject({ status: 409, code: 'state_conflict', state: 'succeeded', jobId: idOf(9) })
    expect(errorSentence(error)).toBe('It has already ended.')
  })

  test('fields are named in the sentence', async () => {
    const { server, api } = setup()
    const errors = [{ field: 'options.priority', message: 'must be at most 100' }]
    server.on(/prompt/, () => problemBody(400, 'invalid_request', 'The request is invalid.', { errors }))
    const error = await failure(api.submitPrompt({ text: 'x' }))
    expect(errorSentence(error)).toBe('The request is invalid. options.priority must be at most 100.')
  })

  test.for([
    ['a page of a proxy', { status: 502, body: '<html>Bad gateway</html>' }],
    ['a success that is no JSON', { status: 200, body: '<html>Welcome to our wifi</html>' }],
    ['a success of another shape', { status: 200, body: { hello: 'world' } }],
    ['a refusal of another shape', { status: 404, body: { message: 'no' } }],
  ] as const)('%s is a problem with a sentence, never undefined, and no definite no', async ([, reply]) => {
    const { server, api } = setup()
    server.on(/session/, () => reply)
    const error = await failure(api.readSession())
    expect(error).toMatchObject({ status: reply.status, code: 'unreadable' })
    expect(errorSentence(error)).toMatch(/^The answer \(status \d+\) is none/)
    expect(isDefiniteRefusal(error)).toBe(false)
  })

  test('a lost session is its own kind, and is told of', async () => {
    const { server, api, signedOut } = setup()
    server.on(/field/, () => problemBody(401, 'unauthenticated', 'Sign in.'))
    expect(await failure(api.readField())).toBeInstanceOf(SignedOut)
    expect(signedOut()).toBe(1)
  })

  test('a dead network and a silent server are offline; nothing waits for ever', async () => {
    const { clock, server, api } = setup()
    server.on(/session/, () => 'offline')
    expect(await failure(api.readSession())).toBeInstanceOf(Offline)
    server.on(/session/, () => new Promise<Reply>(() => undefined))
    const waiting = failure(api.readSession())
    await settled()
    await clock.advance(callTimeoutMs)
    expect(await waiting).toBeInstanceOf(Offline)
    expect(clock.armed()).toBe(0)
  })

  test('who ends a call gets the reason, not a story about the network', async () => {
    const { server, api } = setup()
    server.on(/field/, () => new Promise<Reply>(() => undefined))
    const aborter = new AbortController()
    const waiting = failure(api.readField(aborter.signal))
    const reason = new Error('closed')
    aborter.abort(reason)
    expect(await waiting).toBe(reason)
  })

  test('which refusals are final', () => {
    const isFinal = (status: number) =>
      isDefiniteRefusal(new ApiProblem({ status, code: 'invalid_request', detail: '' }))
    expect([400, 404, 409, 410, 413, 422].map(isFinal)).toEqual([true, true, true, true, true, true])
    expect([401, 408, 425, 429, 500, 503].map(isFinal)).toEqual([false, false, false, false, false, false])
    expect(isDefiniteRefusal(new Offline())).toBe(false)
  })

  test('how long a full server asks to wait is understood in seconds and as a date', async () => {
    const { clock, server, api } = setup()
    const inSeconds = (value: string) => {
      server.on(/POST/, () => ({
        ...problemBody(429, 'too_many_requests', 'Later.'),
        headers: { 'retry-after': value },
      }))
      return failure(api.submitPrompt({ text: 'x' }))
    }
    expect(await inSeconds('7')).toMatchObject({ retryAfterMs: 7_000 })
    expect(await inSeconds(new Date(clock.now() + 9_000).toUTCString())).toMatchObject({
      retryAfterMs: 9_000,
    })
    expect(await inSeconds('soon')).toMatchObject({ retryAfterMs: undefined })
  })
})
