import type { Failure } from './failure.ts'

/** Time as the product sees it. Tests advance their own; nothing else reads the machine's clock. */
export interface Clock {
  now(): Date
  /** Calls `fire` once at `at` (at once if that is past), also beyond the 24.8 days of one timer. Returns the way to disarm it. */
  at(at: Date, fire: () => void): () => void
}

/** One message of the conversation that a prompt continues. */
export interface Turn {
  role: 'system' | 'user' | 'assistant'
  text: string
}

/** How long a provider may be silent before its first token, between tokens, and altogether. */
export interface CallLimits {
  firstTokenMs: number
  silenceMs: number
  totalMs: number
}

export interface ModelRequest {
  /** Bare model id, as the provider names it. */
  model: string
  turns: readonly Turn[]
  limits: CallLimits
  /** Tells attempts of one prompt apart; the practice provider plays its faults by it. Counted from 1. */
  attempt: number
  /** Unique per run; sent along where a provider takes a request tag. */
  runKey: string
}

export interface CallOptions {
  /** Aborting it closes the provider's connection; the call then resolves as `aborted`. */
  signal: AbortSignal
  /** Text as it arrives, in order, never empty. */
  onDelta: (text: string) => void
}

/** A whole answer: a finish reason, non-empty text, no error part. */
export interface AttemptResult {
  ok: true
  text: string
  finishReason: 'stop' | 'length'
  /** The model that really served, as the provider named it. */
  model: string
  requestId: string | null
  inputTokens: number | null
  outputTokens: number | null
}

/** The call did not give a whole answer. `aborted`: our own signal ended it, which is no failure. */
export interface ProviderFailure {
  ok: false
  aborted: boolean
  failure: Failure
  requestId: string | null
}

/**
 * A source of answers. `run` never throws and never retries: the queue retries.
 * Adapters: `bff/adapters/ai-sdk` (OpenAI-compatible), `bff/adapters/practice`.
 */
export interface ModelProvider {
  readonly id: string
  /** Built-in stand-in whose every answer is labelled. */
  readonly practice: boolean
  readonly defaultModel: string
  models(): readonly string[]
  run(request: ModelRequest, options: CallOptions): Promise<AttemptResult | ProviderFailure>
}

/** One line per transition goes through here; implementations redact secrets. */
export interface Log {
  info(fields: Record<string, unknown>, message: string): void
  warn(fields: Record<string, unknown>, message: string): void
  error(fields: Record<string, unknown>, message: string): void
}
