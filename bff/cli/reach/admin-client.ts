import { request } from 'node:http'
import type * as z from 'zod/mini'
import { problem } from '../../../shared/problem.ts'
import { DomainError } from '../../domain/errors.ts'

/** Calls the admin socket of a running server. Answers are parsed; a refusal arrives as the DomainError it was. */
export interface AdminClient {
  get<Answer>(path: string, answer: z.ZodMiniType<Answer>): Promise<Answer>
  /** @throws the reason of `patience` when that is aborted: the server hears that nobody waits any more. */
  post<Answer>(
    path: string,
    body: object | null,
    answer: z.ZodMiniType<Answer>,
    patience?: AbortSignal,
  ): Promise<Answer>
}

/** Nobody listens on the socket: no server runs, or it is just starting or ending. */
export class NobodyListens extends Error {}

export function adminClient(socketPath: string): AdminClient {
  return {
    get: (path, answer) => call(socketPath, 'GET', path, null, answer),
    post: (path, body, answer, patience) => call(socketPath, 'POST', path, body, answer, patience),
  }
}

async function call<Answer>(
  socketPath: string,
  method: string,
  path: string,
  body: object | null,
  answer: z.ZodMiniType<Answer>,
  patience?: AbortSignal,
): Promise<Answer> {
  const { status, text } = await exchange(
    socketPath,
    method,
    path,
    body === null ? null : JSON.stringify(body),
    patience,
  )
  const content = parseJson(text)
  if (status < 300) {
    const parsed = answer.safeParse(content)
    if (parsed.success) return parsed.data
    throw new DomainError('internal', 'The running server answered in a way that this version does not know.')
  }
  const refusal = problem.safeParse(content)
  if (!refusal.success)
    throw new DomainError('internal', `The running server answered with status ${status}.`)
  const { code, detail, errors, state, job_id } = refusal.data
  throw new DomainError(code, detail, {
    ...(errors && { errors }),
    ...(state !== undefined && { state }),
    ...(job_id !== undefined && { job_id }),
  })
}

/** Without a deadline of its own: `run-once` takes as long as the prompts do, and the socket tells when it ends. */
function exchange(
  socketPath: string,
  method: string,
  path: string,
  body: string | null,
  patience?: AbortSignal,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = body === null ? {} : { 'content-type': 'application/json' }
    let connected = false
    const signal = patience ? { signal: patience } : {}
    const sent = request({ socketPath, path, method, headers, agent: false, ...signal }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', () => reject(patience?.aborted ? patience.reason : cutOff()))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
      )
    })
    sent.on('socket', (socket) => socket.on('connect', () => (connected = true)))
    sent.on('error', (error) => {
      if (patience?.aborted) reject(patience.reason)
      else reject(connected ? cutOff() : new NobodyListens('nobody listens', { cause: error }))
    })
    sent.end(body ?? undefined)
  })
}

function cutOff(): DomainError {
  return new DomainError('not_ready', 'The running server ended before it answered; ask again.')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
