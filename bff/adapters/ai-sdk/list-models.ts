import { type Failure, failure } from '../../domain/failure.ts'
import { addressOf } from './address-of.ts'
import { captureFetch, type Reply } from './capture-fetch.ts'
import { classifyFailure } from './failures/classify-failure.ts'
import { errorTrail } from './failures/error-trail.ts'
import { modelIds } from './model-ids.ts'

const timeoutMsDefault = 3_000

export interface ListModelsOptions {
  /** As for chat: `/models` is looked for below it. */
  baseUrl: string
  apiKey?: string
  timeoutMs?: number
  fetch?: typeof globalThis.fetch
}

/** The models in the provider's own order, or why there is no list; it is the connection test as well. */
export type ModelList = { ok: true; models: readonly string[] } | { ok: false; failure: Failure }

/** Asks an OpenAI-compatible server which models it offers, embedding models left out. One request, never throws. */
export async function listModels(options: ListModelsOptions): Promise<ModelList> {
  const timeoutMs = options.timeoutMs ?? timeoutMsDefault
  const signal = AbortSignal.timeout(timeoutMs)
  const { fetch, reply } = captureFetch(timeoutMs * 2, options.fetch)
  let trail: readonly string[] = []
  try {
    await fetch(`${options.baseUrl.replace(/\/+$/, '')}/models`, {
      signal,
      headers: options.apiKey ? { authorization: `Bearer ${options.apiKey}` } : {},
    })
  } catch (error) {
    trail = errorTrail(error)
  }
  const models = modelIds(reply()?.json)
  if (reply()?.status === 200 && models) return { ok: true, models }
  return { ok: false, failure: explain(options, timeoutMs, signal.aborted, reply(), trail) }
}

function explain(
  options: ListModelsOptions,
  timeoutMs: number,
  timedOut: boolean,
  reply: Reply | null,
  trail: readonly string[],
): Failure {
  const address = addressOf(options.baseUrl)
  if (reply?.status === 404) {
    return failure(
      'provider_4xx',
      `There is no list of models at ${address} (404). Check the base URL, which often ends in /v1, then retry.`,
    )
  }
  return classifyFailure({
    address,
    model: '',
    secrets: options.apiKey ? [options.apiKey] : [],
    limits: { firstTokenMs: timeoutMs, silenceMs: timeoutMs, totalMs: timeoutMs },
    overrun: timedOut ? 'first-token' : null,
    reply,
    trail,
    inBand: null,
    brokenLine: false,
    chunks: 0,
    choices: 0,
    finishReason: null,
    nullContent: false,
  })
}
