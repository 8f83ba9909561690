import { afterEach, expect, test } from 'vitest'
import { startScriptedServer } from '../testing/scripted-provider-server.ts'
import { listModels } from './list-models.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

test('the models in the provider’s order, with or without a slash at the end', async () => {
  const server = await startScriptedServer({ models: ['b', 'text-embedding-3-small', 'a'] })
  closing.push(server.close)
  expect(await listModels({ baseUrl: server.baseUrl })).toEqual({ ok: true, models: ['b', 'a'] })
  expect(await listModels({ baseUrl: `${server.baseUrl}/` })).toEqual({ ok: true, models: ['b', 'a'] })
})

/** Plays the answer to `GET /models` through a fetch, since the fault server plays chat only. */
async function listWith(response: () => Response | Promise<Response>) {
  return listModels({
    baseUrl: 'http://provider.test/v1',
    apiKey: 'sk-secret-key',
    timeoutMs: 100,
    fetch: async () => response(),
  })
}

test.each([
  [401, 'auth'],
  [404, 'provider_4xx'],
  [500, 'provider_5xx'],
])('a %s says what is wrong', async (status, kind) => {
  const list = await listWith(() => Response.json({ error: { message: 'sk-secret-key' } }, { status }))
  expect(list).toMatchObject({ ok: false, failure: { kind } })
  expect(JSON.stringify(list)).not.toContain('sk-secret-key')
})

test('JSON that is no list, a page and nothing are no list', async () => {
  for (const body of ['{"hello":1}', '<html>', '']) {
    expect(await listWith(() => new Response(body))).toMatchObject({ ok: false, failure: { kind: 'parse' } })
  }
})

test('a provider that does not answer in time', async () => {
  const server = await startScriptedServer()
  closing.push(server.close)
  server.hold()
  const list = await listModels({
    baseUrl: server.baseUrl,
    timeoutMs: 60,
    // The scripted server holds chat requests only.
    fetch: (_, init) =>
      fetch(`${server.baseUrl}/chat/completions`, { ...init, method: 'POST', body: '{"messages":[]}' }),
  })
  expect(list).toMatchObject({ ok: false, failure: { kind: 'timeout', retryable: true } })
})

test('nothing listens', async () => {
  expect(await listModels({ baseUrl: 'http://127.0.0.1:9/v1' })).toMatchObject({
    ok: false,
    failure: { kind: expect.stringMatching(/provider_/) },
  })
  expect(await listModels({ baseUrl: 'nonsense' })).toMatchObject({
    ok: false,
    failure: { kind: 'provider_4xx' },
  })
})
