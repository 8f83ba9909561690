import { failure } from '../../domain/failure.ts'
import type {
  AttemptResult,
  CallOptions,
  ModelProvider,
  ModelRequest,
  ProviderFailure,
} from '../../domain/ports.ts'
import { storable } from '../../domain/prompt-text.ts'
import { addressOf } from './address-of.ts'
import { startCallTimers } from './call-timers.ts'
import { captureFetch } from './capture-fetch.ts'
import type { CallFacts } from './failures/call-facts.ts'
import { classifyFailure, requestIdOf } from './failures/classify-failure.ts'
import { finishOf } from './finish-of.ts'
import { loadSdk } from './load-sdk.ts'
import { runStream, type Streamed } from './run-stream.ts'

/** Enough for a long answer, and below what servers with small windows refuse. */
const maxOutputTokensDefault = 4_096
/** Node's own limits on a silent reply stay this far behind ours. */
const patienceMs = 60_000

export interface OpenAiCompatibleOptions {
  id: string
  /** Includes `/v1` where the server has it; chat completions are looked for below. */
  baseUrl: string
  apiKey?: string
  defaultModel: string
  /** What may be chosen; default: the default model alone. */
  models?: readonly string[]
  maxOutputTokens?: number
  fetch?: typeof globalThis.fetch
}

/**
 * Chat completions of any server that speaks OpenAI's: OpenAI, Ollama, LM Studio, llama.cpp, vLLM, OpenRouter.
 * One call is one request: nothing here retries. A call succeeds only with a finish reason, text, and no error;
 * everything else is a classified failure, and its connection is closed before the call resolves.
 */
export function openAiCompatible(options: OpenAiCompatibleOptions): ModelProvider {
  const secrets = options.apiKey ? [options.apiKey] : []
  const address = addressOf(options.baseUrl)
  // At once, so that the first prompt does not wait for it; a failure to load is that of the call.
  loadSdk().catch(() => {})

  async function run(request: ModelRequest, call: CallOptions): Promise<AttemptResult | ProviderFailure> {
    const { limits } = request
    // Loading is not the provider's silence.
    await loadSdk().catch(() => {})
    const ending = new AbortController()
    let overrun: CallFacts['overrun'] = null
    const timers = startCallTimers(limits, (limit) => {
      overrun = limit
      ending.abort(new Error(`the provider overran its limit: ${limit}`))
    })
    const onAbort = () => ending.abort(call.signal.reason)
    call.signal.addEventListener('abort', onAbort, { once: true })
    if (call.signal.aborted) onAbort()
    const { fetch, reply } = captureFetch(limits.totalMs + patienceMs, options.fetch)
    try {
      const streamed = await runStream({
        model: () => chatModel(options, request.model, fetch),
        turns: request.turns,
        maxOutputTokens: options.maxOutputTokens ?? maxOutputTokensDefault,
        headers: requestTag(request.runKey),
        signal: ending.signal,
        onToken: timers.token,
        onDelta: call.onDelta,
      })
      const requestId = requestIdOf(reply())
      if (call.signal.aborted) return aborted(requestId)
      const finishReason = finishOf(streamed)
      if (isWhole(streamed) && (finishReason === 'stop' || finishReason === 'length')) {
        const { text, inputTokens, outputTokens } = streamed
        const model = storable(streamed.model ?? request.model)
        return { ok: true, text, finishReason, model, requestId, inputTokens, outputTokens }
      }
      const known = { address, secrets, limits, overrun, reply: reply(), model: request.model }
      const facts = { ...streamed, ...known, finishReason }
      return { ok: false, aborted: false, failure: classifyFailure(facts), requestId }
    } finally {
      timers.stop()
      call.signal.removeEventListener('abort', onAbort)
      ending.abort()
    }
  }

  return {
    id: options.id,
    practice: false,
    defaultModel: options.defaultModel,
    models: () => options.models ?? [options.defaultModel],
    run,
  }
}

/** OpenAI's own newer models refuse `max_tokens`, and most other servers know nothing else. */
function renamesMaxTokens(baseUrl: string): boolean {
  return addressOf(baseUrl) === 'api.openai.com'
}

async function chatModel(options: OpenAiCompatibleOptions, model: string, fetch: typeof globalThis.fetch) {
  const { createOpenAICompatible } = await loadSdk()
  const provider = createOpenAICompatible({
    name: 'openaiCompatible',
    baseURL: new URL(options.baseUrl).href,
    ...(options.apiKey && { apiKey: options.apiKey }),
    includeUsage: true,
    fetch,
    ...(renamesMaxTokens(options.baseUrl) && {
      transformRequestBody: ({ max_tokens, ...body }) => ({ ...body, max_completion_tokens: max_tokens }),
    }),
  })
  return provider.chatModel(model)
}

/** OpenAI takes a tag of ours and shows it beside its own request id. */
function requestTag(runKey: string): Record<string, string> {
  return /^[\x21-\x7e]{1,512}$/.test(runKey) ? { 'x-client-request-id': runKey } : {}
}

function isWhole(streamed: Streamed): boolean {
  return (
    streamed.trail.length === 0 && !streamed.inBand && !streamed.brokenLine && streamed.text.trim() !== ''
  )
}

function aborted(requestId: string | null): ProviderFailure {
  const stopped = failure('unknown', 'The call was stopped by us. Nothing went wrong.', { retryable: false })
  return { ok: false, aborted: true, failure: stopped, requestId }
}
