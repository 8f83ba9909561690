import { connect, type Socket } from 'node:net'
import { sql } from 'drizzle-orm'
import { Hono } from 'hono'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { makeLoginLink } from '../execution/sessions.ts'
import { type TestDatabase, testDatabase } from '../store/testing/test-database.ts'
import { type Listening, listen } from './serve.ts'
import { sseReader } from './testing/sse-reader.ts'
import { cookieOf, testHttp } from './testing/test-http.ts'

let db: TestDatabase
let server: Listening | undefined
beforeAll(async () => {
  db = await testDatabase()
})
afterEach(() => server?.close(0))
afterAll(() => db.close())

const loopback = { host: '127.0.0.1', port: 0 }

it('signs in, streams, and ends open streams cleanly when it closes', async () => {
  const { http, cookie, url, close } = await start()
  const stream = sseReader(await fetch(`${url}/api/v1/mission/events`, { headers: { cookie } }))
  expect((await stream.next())?.event).toBe('hello')
  expect(http.execution.streams.size).toBe(1)
  await close(5_000)
  expect(await stream.next()).toBeNull()
  await vi.waitFor(() => expect(http.execution.streams.size).toBe(0))
  await expect(fetch(`${url}/healthz`)).rejects.toThrow()
})

// R055
it('notices clients whose sockets break, and forgets their streams', async () => {
  const { http, cookie, port } = await start()
  const sockets = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const socket = await opened(port)
      socket.write(
        `GET /api/v1/mission/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: ${cookie}\r\n\r\n`,
      )
      await heard(socket, 'event: hello')
      return socket
    }),
  )
  expect(http.execution.streams.size).toBe(20)
  for (const socket of sockets) socket.destroy()
  await vi.waitFor(() => expect(http.execution.streams.size).toBe(0))
})

// R009
it('keeps what was accepted although its sender has gone, and nothing of what broke off', async () => {
  const { cookie, port } = await start()
  const body = JSON.stringify({ text: 'Why?' })
  const head = `POST /api/v1/prompt HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: ${cookie}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  const before = await prompts()
  for (let turn = 0; turn < 10; turn++) {
    const half = await opened(port)
    half.end(head + body.slice(0, 8))
    await new Promise((resolve) => half.resume().once('close', resolve))
  }
  expect(await prompts()).toBe(before)
  for (let turn = 0; turn < 10; turn++) {
    const socket = await opened(port)
    socket.write(head + body)
    await heard(socket, 'HTTP/1.1 202')
    socket.destroy()
  }
  expect(await prompts()).toBe(before + 10)
  expect(await halves()).toBe(0)
})

it.for(['Host: a b', 'Host: [::1', 'Host: 127.0.0.1:99999'])('refuses %s', async (host) => {
  const { port } = await start()
  const socket = await opened(port)
  socket.write(`GET /healthz HTTP/1.1\r\n${host}\r\nConnection: close\r\n\r\n`)
  expect(await heard(socket, 'HTTP/1.1 4')).toMatch(/^HTTP\/1\.1 40[03]/)
  socket.destroy()
})

it('refuses a page of another name although it leads here', async () => {
  const { port } = await start()
  const socket = await opened(port)
  socket.write(`GET http://127.0.0.1:${port}/healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n`)
  expect(await heard(socket, 'forbidden_host')).toMatch(/^HTTP\/1\.1 403/)
  socket.destroy()
})

it('cuts off what does not end within the grace', async () => {
  const stuck = new Hono().get('/', () => new Promise<Response>(() => {}))
  server = await listen(stuck, loopback)
  const answer = fetch(server.url).catch((error: unknown) => error)
  await vi.waitFor(async () => expect(await server?.connections()).toBe(1))
  await server.close(20)
  expect(await answer).toBeInstanceOf(Error)
})

it('says so when the port is taken', async () => {
  server = await listen(new Hono(), loopback)
  await expect(listen(new Hono(), { ...loopback, port: server.port })).rejects.toMatchObject({
    code: 'EADDRINUSE',
  })
})

async function start() {
  const hosts: string[] = []
  const http = testHttp(db.database, { settings: { hosts: () => hosts } })
  server = await listen(http.app, loopback)
  hosts.push(`127.0.0.1:${server.port}`)
  const { token } = await makeLoginLink(http.execution, await http.person())
  const login = await fetch(`${server.url}/login/${token}`, { redirect: 'manual' })
  return { http, cookie: cookieOf(login), ...server }
}

function opened(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket))
    socket.once('error', reject)
  })
}

/** What has come by the time that `words` have. */
function heard(socket: Socket, words: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
      if (text.includes(words)) resolve(text)
    })
    socket.once('close', () => reject(new Error(`closed after: ${text}`)))
  })
}

async function prompts(): Promise<number> {
  const [row] = await db.database.rows<{ n: number }>(
    sql`select count(*) as n from entity where kind = 'prompt'`,
  )
  return row?.n ?? -1
}

/** Prompts without a job. */
async function halves(): Promise<number> {
  const [row] = await db.database.rows<{ n: number }>(sql`
    select count(*) as n from entity e where kind = 'prompt' and not exists (select from job where prompt_id = e.id)`)
  return row?.n ?? -1
}
