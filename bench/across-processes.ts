import { createServer, type Server, type ServerResponse } from 'node:http'
import { loadavg } from 'node:os'
import { sql } from 'drizzle-orm'
import { v7 as uuidV7 } from 'uuid'
import { openPostgres } from '../bff/store/database/postgres/open-postgres.ts'
import { openEar } from '../bff/store/database/postgres/processes/open-ear.ts'
import { startPostgres } from '../bff/store/testing/start-postgres.ts'
import { rounded, spreadOf } from './percentiles.ts'
import { type RunningServer, runServer, runWorker } from './running-server.ts'

const samples = 200

/**
 * What crosses processes on one PostgreSQL with sync on, between built processes: two servers that run no jobs, and a
 * worker whose provider is here, so that all times are of one clock. A cancel on one server until the worker's call is
 * aborted (its connection closed), a POST on one until the other's stream says `running`, and until it says so of a cancel.
 * The floor, measured in between: one request that does nothing, and one committed row with a NOTIFY until it is heard.
 */
export async function acrossProcesses(): Promise<Record<string, unknown>> {
  const postgres = await startPostgres({ fsync: true })
  const provider = await holdingProvider()
  const env = {
    DATABASE_URL: postgres.url,
    OPENAI_BASE_URL: `${provider.url}/v1`,
    OPENAI_API_KEY: 'bench',
    MISSION_MODEL: 'held',
  }
  const opened: { close(): Promise<void> }[] = []
  const open = async <T extends { close(): Promise<void> }>(opening: Promise<T>): Promise<T> => {
    const one = await opening
    opened.unshift(one)
    return one
  }
  try {
    const a = await open(runServer(env, ['--no-worker']))
    const b = await open(runServer(env, ['--no-worker']))
    await open(runWorker(env))
    const stream = await follow(b)
    opened.unshift(stream)
    const floor = await open(bareFloor(postgres.url, a))
    const [running, called, aborted, told, bare]: number[][] = [[], [], [], [], []]
    for (let index = -5; index < samples; index += 1) {
      const promptId = uuidV7()
      const posted = performance.now()
      const call = provider.nextCall()
      const shown = stream.state(promptId, 'running')
      await send(a, '/api/v1/prompt', { prompt_id: promptId, text: `Measure ${index}` })
      const [begunAt, shownAt] = await Promise.all([call, shown])
      const gone = provider.nextAbort()
      const cancelShown = stream.state(promptId, 'cancelled')
      const cancelled = performance.now()
      await send(a, `/api/v1/prompts/${promptId}/cancel`, {})
      const [goneAt, toldAt] = await Promise.all([gone, cancelShown])
      const floorMs = await floor.measure()
      if (index < 0) continue
      bare?.push(floorMs)
      running?.push(shownAt - posted)
      called?.push(begunAt - posted)
      aborted?.push(goneAt - cancelled)
      told?.push(toldAt - cancelled)
    }
    const [abort, bottom] = [spreadOf(aborted ?? []), spreadOf(bare ?? [])]
    return {
      samples,
      'load average (1 min)': rounded(loadavg()[0] ?? Number.NaN),
      'floor: empty request, then commit with NOTIFY → heard': bottom,
      'cancel on A → provider call of the worker aborted': abort,
      'cancel on A → SSE cancelled on B': spreadOf(told ?? []),
      'POST on A → SSE running on B': spreadOf(running ?? []),
      'POST on A → provider called by the worker': spreadOf(called ?? []),
      'cancel → aborted / floor, p50': rounded(abort.p50 / bottom.p50),
      'cancel → aborted / floor, p99': rounded(abort.p99 / bottom.p99),
    }
  } finally {
    for (const one of opened) await one.close()
    await provider.close()
    await postgres.stop()
  }
}

/** What the machine and PostgreSQL take at the least: a request to a server, and a row whose NOTIFY is heard elsewhere. */
async function bareFloor(url: string, server: RunningServer) {
  const database = await openPostgres({ url, connectionsMax: 1 })
  await database.rows(sql`create table bench_floor (id serial primary key)`)
  let onHeard = (): void => {}
  const ear = await openEar({
    url,
    channels: ['bench_floor'],
    onPayload: () => onHeard(),
    onGap: () => {},
    log: console,
  })
  return {
    async measure(): Promise<number> {
      const start = performance.now()
      await (await fetch(`${server.url}/healthz`)).arrayBuffer()
      const heard = new Promise<void>((resolve) => (onHeard = resolve))
      await database.transaction(async (tx) => {
        await tx.rows(sql`insert into bench_floor default values`)
        await tx.rows(sql`select pg_notify('bench_floor', '')`)
      })
      await heard
      return performance.now() - start
    },
    async close() {
      await ear.close()
      await database.close()
    },
  }
}

/** A provider that begins an answer and never ends it; says when a call came and when its connection was closed. */
async function holdingProvider() {
  let onCall = (_at: number): void => {}
  let onAbort = (_at: number): void => {}
  const server: Server = createServer((request, response) => {
    if (!request.url?.endsWith('/chat/completions')) return void response.writeHead(404).end()
    request.resume()
    onCall(performance.now())
    response.on('close', () => onAbort(performance.now()))
    begin(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (!address || typeof address !== 'object') throw new Error('the provider has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    nextCall: () => new Promise<number>((resolve) => (onCall = resolve)),
    nextAbort: () => new Promise<number>((resolve) => (onAbort = resolve)),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function begin(response: ServerResponse): void {
  const choices = [{ index: 0, delta: { role: 'assistant', content: 'Held' }, finish_reason: null }]
  const chunk = { id: uuidV7(), object: 'chat.completion.chunk', created: 0, model: 'held', choices }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(`data: ${JSON.stringify(chunk)}\n\n`)
}

/** A page of a server: resolves with the time at which it is told of a state. */
async function follow(server: RunningServer) {
  const leaving = new AbortController()
  const response = await fetch(`${server.url}/api/v1/mission/events`, {
    headers: { cookie: server.cookie },
    signal: leaving.signal,
  })
  if (!response.body) throw new Error('the stream has no body')
  const wanted = new Map<string, (at: number) => void>()
  const read = async (body: ReadableStream<Uint8Array>): Promise<void> => {
    const decoder = new TextDecoder()
    let held = ''
    for await (const bytes of body) {
      held += decoder.decode(bytes, { stream: true })
      const events = held.split('\n\n')
      held = events.pop() ?? ''
      for (const event of events) {
        if (!event.startsWith('event: job.state_changed')) continue
        const { prompt_id, state } = JSON.parse(event.slice(event.indexOf('data: ') + 6))
        wanted.get(`${prompt_id} ${state}`)?.(performance.now())
      }
    }
  }
  const reading = read(response.body).catch(() => {})
  return {
    state: (promptId: string, state: string) =>
      new Promise<number>((resolve) => wanted.set(`${promptId} ${state}`, resolve)),
    async close() {
      leaving.abort()
      await reading
    },
  }
}

async function send(server: RunningServer, path: string, body: unknown): Promise<void> {
  const headers = { 'content-type': 'application/json', cookie: server.cookie }
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  const answer = await response.text()
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${answer}`)
}
