import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { getRequestListener, type Http2Bindings, type HttpBindings } from '@hono/node-server'
import type { Env, Hono } from 'hono'
import { DomainError } from '../domain/errors.ts'
import { problemResponse } from './problem-response.ts'

export interface Listening {
  url: string
  port: number
  /** How many connections are open now. */
  connections(): Promise<number>
  /** Takes no more requests, ends open streams, and waits so long for the rest before it cuts them off. */
  close(graceMs: number): Promise<void>
}

/** Serves `app` over HTTP at one address. @throws the system's error, `EADDRINUSE` for example. */
export async function listen<E extends Env>(
  app: Hono<E>,
  { host, port }: { host: string; port: number },
): Promise<Listening> {
  const { server, close } = nodeServer(app)
  await listening(server, () => server.listen(port, host))
  const address = boundAddress(server)
  const name = host.includes(':') ? `[${host}]` : host
  const connections = promisify(server.getConnections.bind(server))
  return { url: `http://${name}:${address.port}`, port: address.port, connections, close }
}

/** A server that is not listening yet; the admin socket uses it too. */
export function nodeServer<E extends Env>(app: Hono<E>): { server: Server; close: Listening['close'] } {
  const streams = new Set<{ end(): unknown }>()
  const answer = async (request: Request, env: HttpBindings | Http2Bindings) => {
    const response = await app.fetch(request, env)
    if (response.headers.get('content-type') === 'text/event-stream') {
      streams.add(env.outgoing)
      env.outgoing.once('close', () => streams.delete(env.outgoing))
    }
    return response
  }
  const server = createServer(
    // A request has to arrive in this time; how long its answer takes is its own affair.
    { requestTimeout: 60_000, headersTimeout: 20_000, keepAliveTimeout: 30_000, noDelay: true },
    getRequestListener(answer, { errorHandler: refuseMalformed }),
  )
  return { server, close: (graceMs) => closeServer(server, streams, graceMs) }
}

export async function listening(server: Server, start: () => void): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.once('listening', () => {
      server.off('error', reject)
      resolve()
    })
    start()
  })
}

/** What is no request at all, a malformed `Host` for example, never reaches the app. */
function refuseMalformed(): Response {
  return problemResponse(new DomainError('invalid_request', 'The request line or its Host is malformed.'))
}

async function closeServer(server: Server, streams: Set<{ end(): unknown }>, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  for (const stream of streams) stream.end()
  server.closeIdleConnections()
  const cut = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearTimeout(cut)
}

function boundAddress(server: Server): AddressInfo {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server listens on no port.')
  return address
}
