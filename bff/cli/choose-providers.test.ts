import { createServer, type RequestListener } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { chooseProviders } from './choose-providers.ts'

const nothingSet = { openaiBaseUrl: null, openaiApiKey: null, model: null }
const nothingHere = async () => null
const ollama = async () => ({
  kind: 'ollama' as const,
  baseUrl: 'http://127.0.0.1:11434/v1',
  models: ['qwen3:8b', 'gemma3'],
})

async function serverAt(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('it listens on no port')
  return `http://127.0.0.1:${address.port}/v1`
}

test('with nothing set and nothing found, practice serves and says that it is practice', async () => {
  const providers = await chooseProviders(nothingSet, nothingHere)
  expect(providers.default()).toMatchObject({ provider: { practice: true }, model: 'practice' })
  expect(providers.list()).toHaveLength(1)
  expect(providers.found).toBeNull()
})

test('a server on this machine serves, and practice can still be chosen', async () => {
  const providers = await chooseProviders(nothingSet, ollama)
  expect(providers.default()).toMatchObject({
    provider: { id: 'ollama', practice: false },
    model: 'qwen3:8b',
  })
  expect(providers.found).toBe('Ollama on this machine')
  expect(providers.list().map(({ practice }) => practice)).toEqual([false, true])
  expect(providers.byId('ollama')?.models()).toEqual(['qwen3:8b', 'gemma3'])
  expect(providers.byId('openai')).toBeUndefined()
})

test('what the environment names comes before what is on this machine', async () => {
  const asked: (string | undefined)[] = []
  const openaiBaseUrl = await serverAt((request, response) => {
    asked.push(request.headers.authorization)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ object: 'list', data: [{ id: 'big', object: 'model' }] }))
  })
  const find = async () => {
    throw new Error('nobody should look')
  }
  const config = { openaiBaseUrl, openaiApiKey: 'key-of-mine', model: null }
  const providers = await chooseProviders(config, find)
  expect(providers.default()).toMatchObject({ provider: { id: 'openai-compatible' }, model: 'big' })
  expect(asked).toEqual(['Bearer key-of-mine'])
})

test('a server without a list of models serves all the same', async () => {
  const openaiBaseUrl = await serverAt((_request, response) => response.writeHead(404).end())
  const providers = await chooseProviders({ ...nothingSet, openaiBaseUrl }, nothingHere)
  expect(providers.default()).toMatchObject({ provider: { id: 'openai-compatible' }, model: 'default' })
})

test('MISSION_MODEL is the default model and on offer, and the start does not wait for a list', async () => {
  const openaiBaseUrl = await serverAt(() => {}) // never answers
  const providers = await chooseProviders({ ...nothingSet, openaiBaseUrl, model: 'mine' }, nothingHere)
  const { provider, model } = providers.default()
  expect(model).toBe('mine')
  expect(provider.models()).toEqual(['mine'])
  expect((await chooseProviders({ ...nothingSet, model: 'mine' }, ollama)).default().model).toBe('mine')
})

test('MISSION_MODEL may name a practice model, whoever else is there', async () => {
  const providers = await chooseProviders({ ...nothingSet, model: 'practice-fast' }, ollama)
  expect(providers.default()).toMatchObject({ provider: { practice: true }, model: 'practice-fast' })
  expect(providers.byId('ollama')?.defaultModel).toBe('qwen3:8b')
})

test('without a real provider, a model that practice does not know is not promised', async () => {
  const providers = await chooseProviders({ ...nothingSet, model: 'gpt-9' }, nothingHere)
  expect(providers.default()).toMatchObject({ provider: { practice: true }, model: 'practice' })
})
