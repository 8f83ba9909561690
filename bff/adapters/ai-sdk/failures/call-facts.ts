import type { CallLimits } from '../../../domain/ports.ts'
import type { Overrun } from '../call-timers.ts'
import type { Reply } from '../capture-fetch.ts'
import type { ProviderError } from './provider-error.ts'

/** What is known about a call that gave no whole answer. */
export interface CallFacts {
  /** Host and port of the base URL, for sentences. */
  address: string
  model: string
  /** What was sent as a key; taken out of every sentence. */
  secrets: readonly string[]
  limits: CallLimits
  /** Which of our limits ended it. */
  overrun: Overrun | null
  /** Null when no reply came at all. */
  reply: Reply | null
  /** Codes, names and messages of the error that was thrown (`errorTrail`); empty when none was. */
  trail: readonly string[]
  /** A piece of the stream that spoke of an error. */
  inBand: ProviderError | null
  /** A line of the stream could not be read. */
  brokenLine: boolean
  /** Pieces of the stream that could be read, and those of them that held a choice. */
  chunks: number
  choices: number
  /** Why the answer ended (`finishOf`), null when the stream ended without a reason. */
  finishReason: string | null
  /** Some content was null: with no text beside it, that is how some providers refuse. */
  nullContent: boolean
}
