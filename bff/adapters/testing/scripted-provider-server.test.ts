import { afterEach, expect, test } from 'vitest'
import { type ScriptedServer, startScriptedServer } from './scripted-provider-server.ts'

let server: ScriptedServer | undefined
afterEach(() => server?.close())

function ask(baseUrl: string, text: string, signal?: AbortSignal) {
  return fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'scripted', stream: true, messages: [{ role: 'user', content: text }] }),
    ...(signal && { signal }),
  })
}

test('answers by script, then by default, and records what it was asked', async () => {
  server = await startScriptedServer()
  server.next('scripted words')
  const first = await (await ask(server.baseUrl, 'one')).text()
  const second = await (await ask(server.baseUrl, 'two')).text()
  expect(first).toContain('scripted')
  expect(first).toContain('[DONE]')
  expect(second).toContain('Answer to: t')
  expect(server.requests.map((request) => request.messages[0]?.content)).toEqual(['one', 'two'])
  await server.requests[1]?.closed
  expect(server.requests[1]?.abandoned()).toBe(false)
})

test('holds an answer until told', async () => {
  server = await startScriptedServer()
  const held = server.hold('opening ')
  const response = ask(server.baseUrl, 'wait')
  await held.arrived
  held.release('ending')
  const text = await (await response).text()
  expect(text.indexOf('opening')).toBeLessThan(text.indexOf('ending'))
})

test('sees a client leave', async () => {
  server = await startScriptedServer()
  const held = server.hold()
  const abort = new AbortController()
  const response = ask(server.baseUrl, 'wait', abort.signal).catch(() => 'left')
  const request = await held.arrived
  abort.abort()
  await request.closed
  expect(request.abandoned()).toBe(true)
  expect(await response).toBe('left')
})
