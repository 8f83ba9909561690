import type { LanguageModel, ModelMessage } from 'ai'
import type { CallOptions, Turn } from '../../domain/ports.ts'
import { errorTrail } from './failures/error-trail.ts'
import { type ProviderError, readProviderError } from './failures/provider-error.ts'
import { loadSdk } from './load-sdk.ts'
import { isRecord } from './reply-body.ts'
import { createTextMender } from './text-mender.ts'

/** What came out of one stream, whole or not. */
export interface Streamed {
  text: string
  /** As the SDK maps it, null when the stream ended without one. */
  finishReason: string | null
  /** The provider's own word for it. */
  rawFinishReason: string | null
  /** The model that served, as the provider names it. */
  model: string | null
  inputTokens: number | null
  outputTokens: number | null
  /** Codes, names and messages of what was thrown (`errorTrail`), empty when nothing was. */
  trail: readonly string[]
  /** A piece of the stream that spoke of an error. */
  inBand: ProviderError | null
  /** A line of the stream could not be read. */
  brokenLine: boolean
  /** Pieces that could be read, and those of them that held a choice. */
  chunks: number
  choices: number
  /** Some content was null. */
  nullContent: boolean
}

export interface StreamSettings {
  /** Made inside the call, so that a base URL that is none fails the call rather than throws. */
  model: () => LanguageModel | Promise<LanguageModel>
  turns: readonly Turn[]
  maxOutputTokens: number
  headers: Record<string, string>
  /** Ends the call: our limits and the caller's abort in one. */
  signal: AbortSignal
  /** A token came, of the answer or of its reasoning. */
  onToken: () => void
  onDelta: CallOptions['onDelta']
}

/** How long the error that broke a line may take to follow it as an event of its own. */
const afterBrokenLineMs = 250
const brokenLine = /^ai_(jsonparse|typevalidation)error$/

/**
 * Reads one answer to its end, its first error, or the abort of `signal`, whichever is first, and never throws. The
 * caller aborts `signal` afterwards in any case: leaving the loop does not close the connection.
 */
export async function runStream(settings: StreamSettings): Promise<Streamed> {
  const seen: Streamed = {
    text: '',
    finishReason: null,
    rawFinishReason: null,
    model: null,
    inputTokens: null,
    outputTokens: null,
    trail: [],
    inBand: null,
    brokenLine: false,
    chunks: 0,
    choices: 0,
    nullContent: false,
  }
  try {
    await collect(settings, seen)
  } catch (error) {
    seen.trail = errorTrail(error)
  }
  return seen
}

async function collect({ turns, onToken, onDelta, ...settings }: StreamSettings, seen: Streamed) {
  const mender = createTextMender()
  const say = (text: string) => {
    if (text === '') return
    seen.text += text
    onDelta(text)
  }
  const { streamText } = await loadSdk()
  const model = await settings.model()
  if (settings.signal.aborted) return
  const { fullStream } = streamText({
    model,
    messages: turns.map(toMessage),
    // The turns are ours; a prompt cannot add one.
    allowSystemInMessages: true,
    maxRetries: 0,
    maxOutputTokens: settings.maxOutputTokens,
    headers: settings.headers,
    abortSignal: settings.signal,
    includeRawChunks: true,
    // The default writes to the console.
    onError: () => {},
  })
  for await (const part of readWhile(fullStream, settings.signal, seen)) {
    switch (part.type) {
      case 'raw':
        readChunk(part.rawValue, seen)
        if (seen.inBand) return
        break
      case 'text-delta':
        if (seen.brokenLine) return
        onToken()
        say(mender.push(part.text))
        break
      case 'reasoning-delta':
        onToken()
        break
      case 'error':
        seen.trail = errorTrail(part.error)
        seen.brokenLine = seen.trail.some((step) => brokenLine.test(step))
        if (!seen.brokenLine) return
        break
      case 'finish':
        seen.finishReason = part.finishReason
        seen.rawFinishReason = part.rawFinishReason ?? null
        seen.inputTokens = part.totalUsage.inputTokens ?? null
        seen.outputTokens = part.totalUsage.outputTokens ?? null
    }
  }
  if (!settings.signal.aborted) say(mender.flush())
}

/** The parts of a stream until it ends or `signal` aborts, at once even if the stream itself does not notice. */
async function* readWhile<Part>(stream: ReadableStream<Part>, signal: AbortSignal, seen: Streamed) {
  const reader = stream.getReader()
  const aborted = new Promise<null>((resolve) => {
    signal.addEventListener('abort', () => resolve(null), { once: true })
  })
  let patience: NodeJS.Timeout | undefined
  const exhausted = () =>
    new Promise<null>((resolve) => {
      patience ??= setTimeout(() => resolve(null), afterBrokenLineMs)
    })
  try {
    while (!signal.aborted) {
      const racers: Promise<{ done: boolean; value?: Part } | null>[] = [reader.read(), aborted]
      if (seen.brokenLine) racers.push(exhausted())
      const next = await Promise.race(racers)
      if (signal.aborted || next === null || next.done || next.value === undefined) return
      yield next.value
    }
  } finally {
    clearTimeout(patience)
    reader.cancel().catch(() => {})
  }
}

function readChunk(chunk: unknown, seen: Streamed): void {
  if (!isRecord(chunk)) return
  seen.chunks += 1
  seen.inBand ??= readProviderError(chunk)
  if (typeof chunk.model === 'string' && chunk.model !== '') seen.model ??= chunk.model
  const choice: unknown = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined
  if (!isRecord(choice)) return
  seen.choices += 1
  if (isRecord(choice.delta) && choice.delta.content === null) seen.nullContent = true
}

function toMessage(turn: Turn): ModelMessage {
  return { role: turn.role, content: turn.text }
}
