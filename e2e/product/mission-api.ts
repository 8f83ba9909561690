import { expect } from '@playwright/test'
import * as z from 'zod/mini'
import { endpoints } from '../../shared/api.ts'
import type { AnswerOf, Endpoint } from '../../shared/endpoint.ts'
import { urlOf } from '../../shared/endpoint.ts'
import type { PromptDetail } from '../../shared/observe.ts'
import type { PromptView } from '../../shared/prompt-view.ts'
import type { SubmitOptions, SubmitResponse } from '../../shared/submit.ts'

interface Sent {
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, string | number | undefined>>
  body?: unknown
}

/** The HTTP interface as a script uses it, with a session of its own. */
export interface MissionApi {
  readonly url: string
  /** `name=value`, which is the session. */
  readonly cookie: string
  /** Any answer, refusals included. */
  send(endpoint: Endpoint, sent?: Sent): Promise<Response>
  /** An answer of success, parsed by the contract. @throws Error on a refusal, with its words. */
  call<E extends Endpoint>(endpoint: E, sent?: Sent): Promise<AnswerOf<E>>
  submit(
    text: string,
    more?: { prompt_id?: string; parent_id?: string; options?: SubmitOptions },
  ): Promise<SubmitResponse>
  read(promptId: string): Promise<PromptDetail>
  /** Looks until the prompt is as `wanted` says, and gives that back. */
  until(promptId: string, wanted: (view: PromptView) => boolean, withinMs?: number): Promise<PromptDetail>
}

/** Follows a one-time link as a browser does. @throws Error when the link signs nobody in. */
export async function signIn(loginUrl: string): Promise<MissionApi> {
  const answer = await fetch(loginUrl, { redirect: 'manual' })
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0]
  if (answer.status !== 303 || cookie === undefined) throw new Error(`the link answered ${answer.status}`)
  return missionApi(new URL(loginUrl).origin, cookie)
}

export function missionApi(url: string, cookie: string): MissionApi {
  const send: MissionApi['send'] = (endpoint, { params, query, body } = {}) =>
    fetch(`${url}${urlOf(endpoint, params, query)}`, {
      method: endpoint.method,
      headers: { cookie, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })

  const call: MissionApi['call'] = async (endpoint, sent) => {
    const answer = await send(endpoint, sent)
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${endpoint.method} ${endpoint.path} answered ${answer.status}: ${text}`)
    return answerOf(endpoint, answer.status, text)
  }

  const read: MissionApi['read'] = (promptId) =>
    call(endpoints.readPrompt, { params: { prompt_id: promptId } })
  return {
    url,
    cookie,
    send,
    call,
    read,
    submit: (text, more) => call(endpoints.submitPrompt, { body: { text, ...more } }),
    async until(promptId, wanted, withinMs = 30_000) {
      let found = await read(promptId)
      await expect
        .poll(
          async () => {
            found = await read(promptId)
            const { state, attempt, error_message } = found.view
            return wanted(found.view) || `${state}, attempt ${attempt}, ${error_message ?? 'no error'}`
          },
          { timeout: withinMs, intervals: [25, 50, 100] },
        )
        .toBe(true)
      return found
    },
  }
}

/** What the schema of this very status accepted is the endpoint's answer, which the compiler cannot follow. */
function answerOf<E extends Endpoint>(endpoint: E, status: number, text: string): AnswerOf<E> {
  const schema = endpoint.responses[status]
  if (schema === undefined) throw new Error(`${endpoint.path}: no contract for ${status}`)
  const parsed = schema === null || typeof schema === 'string' ? undefined : z.parse(schema, JSON.parse(text))
  return parsed as AnswerOf<E>
}
