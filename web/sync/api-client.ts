import * as z from 'zod/mini'
import { endpoints } from '../../shared/api.ts'
import { type AnswerOf, type Endpoint, type SentBodyOf, urlOf } from '../../shared/endpoint.ts'
import type {
  CancelResponse,
  FieldResponse,
  ModelsResponse,
  PromptDetail,
  RecentResponse,
  RetryResponse,
  SessionResponse,
  ThreadResponse,
  ViewsResponse,
} from '../../shared/observe.ts'
import { problem } from '../../shared/problem.ts'
import type { PromptView } from '../../shared/prompt-view.ts'
import type { SubmitRequest, SubmitResponse } from '../../shared/submit.ts'
import { ApiProblem, Offline, SignedOut } from './api-error.ts'
import type { PageClock } from './clock.ts'

/** How long a call may take before it counts as unanswered. */
export const callTimeoutMs = 15_000

/**
 * The server, call by call. Each rejects with `ApiProblem`, `SignedOut` or `Offline`, or with the reason of the
 * signal that ended it; answers are parsed, so what comes back is what its type says.
 */
export interface ApiClient {
  readSession(signal?: AbortSignal): Promise<SessionResponse>
  readModels(signal?: AbortSignal): Promise<ModelsResponse>
  readField(signal?: AbortSignal): Promise<FieldResponse>
  readRecent(
    query: { since?: string; before?: string; limit?: number },
    signal?: AbortSignal,
  ): Promise<RecentResponse>
  readViews(ids: readonly string[], signal?: AbortSignal): Promise<ViewsResponse>
  readPrompt(promptId: string, signal?: AbortSignal): Promise<PromptDetail>
  readThread(promptId: string, query: { after?: string }, signal?: AbortSignal): Promise<ThreadResponse>
  submitPrompt(request: SubmitRequest, signal?: AbortSignal): Promise<SubmitResponse>
  retryPrompt(promptId: string): Promise<RetryResponse>
  cancelPrompt(promptId: string): Promise<CancelResponse>
  releasePrompt(promptId: string): Promise<{ view: PromptView }>
  deletePrompt(promptId: string): Promise<void>
  deleteThread(threadId: string): Promise<void>
  markSeen(prompts: readonly { prompt_id: string; job_id: string }[]): Promise<void>
  setShown(streamId: string, promptIds: readonly string[]): Promise<void>
  endSession(): Promise<void>
}

export interface ApiClientDeps {
  fetch: typeof fetch
  clock: PageClock
  /** Told of every 401, whichever call met it. */
  onSignedOut?: () => void
}

interface Sent<E extends Endpoint = Endpoint> {
  params?: Record<string, string>
  query?: Record<string, string | number | undefined>
  body?: SentBodyOf<E>
  signal?: AbortSignal | undefined
}

export function createApiClient(deps: ApiClientDeps): ApiClient {
  async function call<E extends Endpoint>(endpoint: E, sent: Sent<E> = {}): Promise<AnswerOf<E>> {
    const response = await send(deps, endpoint, sent)
    if (response.status === 401) {
      deps.onSignedOut?.()
      throw new SignedOut()
    }
    if (!response.ok) throw problemOf(response)
    return answerOf(endpoint, response)
  }
  const at = (promptId: string) => ({ params: { prompt_id: promptId } })
  return {
    readSession: (signal) => call(endpoints.readSession, { signal }),
    readModels: (signal) => call(endpoints.readModels, { signal }),
    readField: (signal) => call(endpoints.readField, { signal }),
    readRecent: (query, signal) => call(endpoints.readRecent, { query, signal }),
    readViews: (ids, signal) => call(endpoints.readViews, { query: { ids: ids.join(',') }, signal }),
    readPrompt: (promptId, signal) => call(endpoints.readPrompt, { ...at(promptId), signal }),
    readThread: (promptId, query, signal) => call(endpoints.readThread, { ...at(promptId), query, signal }),
    submitPrompt: (body, signal) => call(endpoints.submitPrompt, { body, signal }),
    retryPrompt: (promptId) => call(endpoints.retryPrompt, at(promptId)),
    cancelPrompt: (promptId) => call(endpoints.cancelPrompt, at(promptId)),
    releasePrompt: (promptId) => call(endpoints.releasePrompt, at(promptId)),
    deletePrompt: (promptId) => call(endpoints.retractPrompt, at(promptId)),
    deleteThread: (threadId) => call(endpoints.retractThread, { params: { thread_id: threadId } }),
    markSeen: (prompts) => call(endpoints.markSeen, { body: { prompts: [...prompts] } }),
    setShown: (streamId, promptIds) =>
      call(endpoints.setShown, { params: { stream_id: streamId }, body: { prompt_ids: [...promptIds] } }),
    endSession: () => call(endpoints.endSession),
  }
}

interface Answered {
  status: number
  ok: boolean
  /** The body as JSON; undefined where it is empty or something else. */
  json: unknown
  retryAfterMs: number | undefined
}

/** The body is read under the same timeout: a server may stop in the middle of it. */
async function send<E extends Endpoint>(deps: ApiClientDeps, endpoint: E, sent: Sent<E>): Promise<Answered> {
  const aborter = new AbortController()
  const disarm = deps.clock.after(callTimeoutMs, () => aborter.abort(new Error('no answer in time')))
  const passOn = () => aborter.abort(sent.signal?.reason)
  if (sent.signal?.aborted) passOn()
  sent.signal?.addEventListener('abort', passOn)
  const { body } = sent
  try {
    const response = await deps.fetch(urlOf(endpoint, sent.params, sent.query), {
      method: endpoint.method,
      signal: aborter.signal,
      credentials: 'same-origin',
      // A redirect to somebody's login page is not an answer to an API call.
      redirect: 'manual',
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      ok: response.ok,
      json: parsedJson(text),
      retryAfterMs: retryAfterMsOf(response.headers.get('retry-after'), deps.clock.now()),
    }
  } catch (error) {
    if (sent.signal?.aborted) throw sent.signal.reason
    throw new Offline(error)
  } finally {
    disarm()
    sent.signal?.removeEventListener('abort', passOn)
  }
}

function answerOf<E extends Endpoint>(endpoint: E, { status, json }: Answered): AnswerOf<E> {
  const schema = endpoint.responses[status]
  if (schema === null) return parsedAs<E>(undefined)
  if (schema === undefined || typeof schema === 'string') throw unreadable(status)
  const parsed = z.safeParse(schema, json)
  if (!parsed.success) throw unreadable(status)
  return parsedAs<E>(parsed.data)
}

/** The schema of this very endpoint has just accepted `data`, so it is the endpoint's answer. */
function parsedAs<E extends Endpoint>(data: unknown): AnswerOf<E> {
  return data as AnswerOf<E>
}

function problemOf({ status, json, retryAfterMs }: Answered): ApiProblem {
  const parsed = z.safeParse(problem, json)
  if (!parsed.success) return unreadable(status)
  const { code, detail, errors, state, job_id } = parsed.data
  return new ApiProblem({ status, code, detail, errors, state, jobId: job_id, retryAfterMs })
}

function unreadable(status: number): ApiProblem {
  return new ApiProblem({
    status,
    code: 'unreadable',
    detail: `The answer (status ${status}) is none that this page understands. Reload the page, or try again later.`,
  })
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function retryAfterMsOf(header: string | null, nowMs: number): number | undefined {
  if (header === null || header.trim() === '') return undefined
  const delayMs = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - nowMs
  return Number.isFinite(delayMs) && delayMs >= 0 ? delayMs : undefined
}
