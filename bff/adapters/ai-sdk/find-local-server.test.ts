import { createServer, type Server } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { findLocalServer } from './find-local-server.ts'

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

/** Answers each path with its JSON, 404 otherwise; `null` never answers. */
async function serve(answers: Record<string, unknown>): Promise<string> {
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? '']
    if (answer === null) return
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return `http://127.0.0.1:${address.port}`
}

/** Nothing to look at, and time enough on a busy machine. */
const nowhere = { ollama: null, lmStudio: null, llamaCpp: null, probeMs: 10_000 }
const ollama = {
  '/api/version': { version: '0.5.7' },
  '/api/tags': {
    models: [{ name: 'nomic-embed-text:latest' }, { name: 'llama3.2:3b' }, { name: 'qwen3:8b' }],
  },
}
const lmStudio = {
  '/v1/models': {
    object: 'list',
    data: [
      { id: 'text-embedding-nomic', object: 'model' },
      { id: 'qwen2.5-7b', object: 'model' },
    ],
  },
}
const llamaCpp = {
  '/props': { default_generation_settings: { n_ctx: 4096 }, model_path: '/models/tiny-q4.gguf' },
}

test('Ollama, with its models and without those that only embed', async () => {
  const origin = await serve(ollama)
  expect(await findLocalServer({ ...nowhere, ollama: origin })).toEqual({
    kind: 'ollama',
    baseUrl: `${origin}/v1`,
    models: ['llama3.2:3b', 'qwen3:8b'],
  })
})

test('LM Studio', async () => {
  const origin = await serve(lmStudio)
  expect(await findLocalServer({ ...nowhere, lmStudio: origin })).toEqual({
    kind: 'lm-studio',
    baseUrl: `${origin}/v1`,
    models: ['qwen2.5-7b'],
  })
})

test('llama.cpp, named by its list or else by its file', async () => {
  const origin = await serve(llamaCpp)
  expect(await findLocalServer({ ...nowhere, llamaCpp: origin })).toEqual({
    kind: 'llama.cpp',
    baseUrl: `${origin}/v1`,
    models: ['tiny-q4.gguf'],
  })
  const listing = await serve({ ...llamaCpp, '/v1/models': { object: 'list', data: [{ id: 'tiny' }] } })
  expect(await findLocalServer({ ...nowhere, llamaCpp: listing })).toMatchObject({ models: ['tiny'] })
})

test('the first kind wins, and one that has no model is passed by', async () => {
  const [first, second] = [await serve(ollama), await serve(lmStudio)]
  const both = { ...nowhere, ollama: first, lmStudio: second }
  expect(await findLocalServer(both)).toMatchObject({ kind: 'ollama' })
  const bare = await serve({ ...ollama, '/api/tags': { models: [] } })
  expect(await findLocalServer({ ...both, ollama: bare })).toMatchObject({ kind: 'lm-studio' })
})

test.each([
  ['an answer of another shape', { '/api/version': { name: 'x' }, '/v1/models': { data: [] }, '/props': {} }],
  ['a web page', { '/api/version': '<html>', '/v1/models': '<html>', '/props': '<html>' }],
  ['nothing but 404', {}],
])('%s is no model server', async (_, answers) => {
  const origin = await serve(answers)
  expect(await findLocalServer({ ollama: origin, lmStudio: origin, llamaCpp: origin })).toBeNull()
})

test('a server that hangs costs no more than the time for probing', async () => {
  const origin = await serve({ '/api/version': null, '/v1/models': null, '/props': null })
  const startedAt = performance.now()
  expect(await findLocalServer({ ollama: origin, lmStudio: origin, llamaCpp: origin })).toBeNull()
  expect(performance.now() - startedAt).toBeLessThan(1_000)
})

test('nobody at home', async () => {
  const origin = 'http://127.0.0.1:9'
  expect(await findLocalServer({ ollama: origin, lmStudio: origin, llamaCpp: origin })).toBeNull()
})
