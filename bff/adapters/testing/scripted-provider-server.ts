import { randomUUID } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One chat request as the server saw it. */
export interface ScriptedRequest {
  model: string
  messages: readonly { role: string; content: string }[]
  stream: boolean
  headers: IncomingHttpHeaders
  /** The whole request body, parsed. */
  body: Record<string, unknown>
  /** How long the client has been connected for this request so far, in ms; stops when either side closes it. */
  connectedMs(): number
  /** Resolves once the connection of this request is done with: answered in full, or left by the client. */
  closed: Promise<void>
  /** True when the client left before the answer was whole. */
  abandoned(): boolean
}

/** The server's side of one answer; every script gets one. Writing after the client left does nothing. */
export interface ScriptedAnswer {
  readonly request: ScriptedRequest
  readonly response: ServerResponse
  /** Sends one piece of the answer. */
  delta(text: string): void
  /** Sends the finish reason and the usage, then ends the stream. */
  finish(reason?: string): void
  /** Sends these bytes as they are; the head of a 200 event stream goes first unless another was written. */
  raw(text: string): void
  /** Answers with a status and a JSON or text body instead of a stream. */
  fail(status: number, body?: unknown, headers?: Record<string, string>): void
  /** Cuts the connection. */
  hangUp(): void
}

export type Script = (answer: ScriptedAnswer) => unknown

export interface ScriptedServer {
  /** Ends in `/v1`, as `OPENAI_BASE_URL` does. */
  readonly baseUrl: string
  /** Every chat request so far, oldest first. */
  readonly requests: readonly ScriptedRequest[]
  /** Queues the script for the next unscripted request; a string is a whole answer. */
  next(script: Script | string): void
  /** Replaces the script of requests for which nothing is queued: first `Answer to: <last message>`. */
  otherwise(script: Script | string): void
  /** Queues an answer that is held: connected and silent, or after `opening`, until told to go on. */
  hold(opening?: string): HeldAnswer
  /** Resolves with the `count`th request (from 1), at once if it has arrived already. */
  arrival(count: number): Promise<ScriptedRequest>
  close(): Promise<void>
}

export interface HeldAnswer {
  /** Resolves once a request has come for it. */
  arrived: Promise<ScriptedRequest>
  /** Sends `text` and finishes. */
  release(text: string, reason?: string): void
  /** Sends `text` and goes on holding. */
  delta(text: string): void
  hangUp(): void
}

export interface ScriptedServerOptions {
  /** What `GET /v1/models` offers. */
  models?: readonly string[]
  /** 0, the default, takes a free one. */
  port?: number
}

/** An OpenAI-compatible chat server on loopback that plays what a test tells it. */
export async function startScriptedServer(options: ScriptedServerOptions = {}): Promise<ScriptedServer> {
  const models = options.models ?? ['scripted']
  const requests: ScriptedRequest[] = []
  const queue: Script[] = []
  const waiting: { count: number; resolve: (request: ScriptedRequest) => void }[] = []
  let fallback: Script = (answer) =>
    whole(`Answer to: ${answer.request.messages.at(-1)?.content ?? ''}`)(answer)

  const server = createServer((req, res) => {
    res.on('error', () => {})
    // A client that leaves while its request is being read has sent none.
    serve(req, res).catch(() => res.destroy())
  })
  async function serve(req: IncomingMessage, res: ServerResponse) {
    if (req.method === 'GET' && req.url?.endsWith('/models')) {
      res.setHeader('content-type', 'application/json')
      res.end(JSON.stringify({ object: 'list', data: models.map((id) => ({ id, object: 'model' })) }))
      return
    }
    if (!req.url?.endsWith('/chat/completions')) {
      res.writeHead(404).end()
      return
    }
    const request = recordRequest(await readBody(req), req, res)
    requests.push(request)
    const script = queue.shift() ?? fallback
    for (const waiter of waiting.filter(({ count }) => count <= requests.length)) {
      waiting.splice(waiting.indexOf(waiter), 1)
      waiter.resolve(request)
    }
    await script(answerTo(request, res))
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  return {
    baseUrl: `http://127.0.0.1:${portOf(server.address())}/v1`,
    requests,
    next: (script) => queue.push(toScript(script)),
    otherwise: (script) => {
      fallback = toScript(script)
    },
    hold: (opening) => {
      const held = holdAnswer(opening)
      queue.push(held.script)
      return held
    },
    arrival: (count) =>
      new Promise((resolve) => {
        const request = requests[count - 1]
        if (request) resolve(request)
        else waiting.push({ count, resolve })
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function toScript(script: Script | string): Script {
  return typeof script === 'string' ? whole(script) : script
}

/** The script of a plain, whole answer, in a few pieces. */
export function whole(text: string, reason = 'stop'): Script {
  return (answer) => {
    for (const piece of text.match(/.{1,12}/gsu) ?? []) answer.delta(piece)
    answer.finish(reason)
  }
}

function holdAnswer(opening: string | undefined): HeldAnswer & { script: Script } {
  const arrived = withResolvers<ScriptedAnswer>()
  return {
    script: (answer) => {
      if (opening !== undefined) answer.delta(opening)
      arrived.resolve(answer)
    },
    arrived: arrived.promise.then((answer) => answer.request),
    delta: (text) => void arrived.promise.then((answer) => answer.delta(text)),
    release: (text, reason) => void arrived.promise.then((answer) => whole(text, reason)(answer)),
    hangUp: () => void arrived.promise.then((answer) => answer.hangUp()),
  }
}

function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let settle: (value: T) => void = () => {}
  const promise = new Promise<T>((resolve) => {
    settle = resolve
  })
  return { promise, resolve: (value) => settle(value) }
}

function answerTo(request: ScriptedRequest, response: ServerResponse): ScriptedAnswer {
  const open = () => !response.destroyed && !response.writableEnded
  const raw = (text: string) => {
    if (!open()) return
    // Different for every request: the id of a stored response is made of it.
    if (!response.headersSent)
      response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': randomUUID() })
    response.write(text)
  }
  const frame = (fields: object) =>
    raw(
      `data: ${JSON.stringify({ id: 'scripted', object: 'chat.completion.chunk', created: 1, model: request.model, ...fields })}\n\n`,
    )
  return {
    request,
    response,
    raw,
    delta: (text) => frame({ choices: [{ index: 0, delta: { content: text }, finish_reason: null }] }),
    finish: (reason = 'stop') => {
      frame({ choices: [{ index: 0, delta: {}, finish_reason: reason }] })
      frame({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 11, total_tokens: 18 } })
      raw('data: [DONE]\n\n')
      if (open()) response.end()
    },
    fail: (status, body = { error: { message: 'scripted failure' } }, headers = {}) => {
      if (!open()) return
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      response.writeHead(status, {
        'content-type': typeof body === 'string' ? 'text/plain' : 'application/json',
        ...headers,
      })
      response.end(text)
    },
    hangUp: () => void response.socket?.destroy(),
  }
}

function recordRequest(text: string, req: IncomingMessage, res: ServerResponse): ScriptedRequest {
  const body = parseBody(text)
  const startedAt = performance.now()
  let endedAt: number | null = null
  const closed = new Promise<void>((resolve) => {
    const end = () => {
      endedAt = performance.now()
      resolve()
    }
    if (res.closed || req.socket.destroyed) end()
    else res.once('close', end)
  })
  return {
    model: String(body.model ?? ''),
    messages: Array.isArray(body.messages) ? body.messages : [],
    stream: body.stream === true,
    headers: req.headers,
    body,
    connectedMs: () => (endedAt ?? performance.now()) - startedAt,
    closed,
    abandoned: () => endedAt !== null && !res.writableFinished,
  }
}

function parseBody(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text)
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

async function readBody(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('the scripted server has no port')
  return address.port
}
