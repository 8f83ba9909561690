import { afterEach, expect, test } from 'vitest'
import { type ScriptedServer, startScriptedServer, whole } from '../testing/scripted-provider-server.ts'
import { captureFetch } from './capture-fetch.ts'
import { errorTrail } from './failures/error-trail.ts'

let server: ScriptedServer
afterEach(() => server.close())

async function setup(patienceMs = 60_000) {
  server = await startScriptedServer()
  const capture = captureFetch(patienceMs)
  const ask = () =>
    capture.fetch(`${server.baseUrl}/chat/completions`, { method: 'POST', body: '{"messages":[]}' })
  return { capture, ask }
}

test('the patience given is the one that holds, not that of Node', async () => {
  const { ask } = await setup(200)
  server.hold()
  const trail = await ask().then(() => [], errorTrail)
  expect(trail).toContain('und_err_headers_timeout')
})

test('keeps status, headers and the JSON of a refusal', async () => {
  const { ask, capture } = await setup()
  server.next((answer) => answer.fail(418, { error: { message: 'x' } }, { 'retry-after': '1' }))
  await expect(ask()).rejects.toThrow()
  expect(capture.reply()).toMatchObject({ status: 418, json: { error: { message: 'x' } }, ended: true })
  expect(capture.reply()?.headers.get('retry-after')).toBe('1')
})

test('a body without end is given up, not kept', async () => {
  const { ask, capture } = await setup()
  server.next((answer) => {
    answer.response.writeHead(500, { 'content-type': 'text/html' })
    const pour = () => {
      while (!answer.response.destroyed && answer.response.write('<p>page</p>'.repeat(1_000))) {}
    }
    answer.response.on('drain', pour)
    pour()
  })
  await expect(ask()).rejects.toThrow()
  expect(capture.reply()).toMatchObject({ status: 500, ended: false })
  await server.requests[0]?.closed
})

test('a stream is handed on unchanged, and its tail is kept', async () => {
  const { ask, capture } = await setup()
  server.next(whole('Ünïcode 😀 text that is cut into pieces'))
  const text = await (await ask()).text()
  const said = [...text.matchAll(/"content":"([^"]*)"/g)].map((match) => match[1]).join('')
  expect(said).toBe('Ünïcode 😀 text that is cut into pieces')
  expect(capture.reply()).toMatchObject({ shape: 'events', ended: true })
  expect(capture.reply()?.tail).toMatch(/\[DONE\]\n\n$/)
})

test('a character cut between two packets stays whole', async () => {
  const { ask } = await setup()
  server.next(async (answer) => {
    const bytes = Buffer.from('data: {"x":"😀"}\n\n')
    answer.response.writeHead(200, { 'content-type': 'text/event-stream' })
    answer.response.write(bytes.subarray(0, 14))
    await new Promise((resolve) => setTimeout(resolve, 20))
    answer.response.end(bytes.subarray(14))
  })
  expect(await (await ask()).text()).toContain('😀')
})

test('a stream whose first packet is shorter than a field name is still one', async () => {
  const { ask } = await setup()
  server.next(async (answer) => {
    answer.response.writeHead(200, { 'content-type': 'text/plain' })
    answer.response.write('da')
    await new Promise((resolve) => setTimeout(resolve, 20))
    answer.response.end('ta: {}\n\n')
  })
  expect(await (await ask()).text()).toBe('data: {}\n\n')
})
