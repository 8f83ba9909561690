import type { WaitReason } from '../../shared/wait-reason.ts'
import { type Planned, plannedText } from './planned-words.ts'
import { aboutText, clockText, ordinalText, type Reading, whenText } from './time-text.ts'

export type WaitContext = Reading & {
  /** Place in line, counted from 1. */
  readonly place?: number | undefined
  /** How its time was given. */
  readonly planned?: Planned | undefined
  /** A short title of another prompt, where it is known. */
  readonly titleOf?: ((promptId: string) => string | undefined) | undefined
}

/** Why a prompt waits, in words that follow *Waiting ·*. Null: nothing is known, it is simply in line. */
export function waitText(reason: WaitReason | null, context: WaitContext): string {
  switch (reason?.code) {
    case undefined:
    case 'in_line':
      return context.place === undefined ? 'in line' : `${ordinalText(context.place)} in line`
    case 'scheduled':
      return `at ${plannedText(Date.parse(reason.at), context.planned ?? unplanned, context)}`
    case 'backoff':
      return `tries again, ${remaining(reason.at, context.nowMs)}`
    case 'rate_limit':
      return `for ${reason.provider}${untilText(Date.parse(reason.until), context)}`
    case 'after':
      return `after ${quoted(reason.prompt_id, context)}`
    case 'held':
      return `held, ${quoted(reason.prompt_id, context)} ${reason.cause === 'failed' ? 'failed' : 'was cancelled'}`
    case 'org_limit':
      return 'all places are taken'
    case 'scheduler':
      return `in the queue of ${reason.backend}${reason.reason === '' ? '' : `, ${reason.reason}`}`
    default:
      return unreachable(reason)
  }
}

const unplanned: Planned = { time_zone: null, time_in_gap: null }

/** ` until 14:22`, to the second where it is near: what it waits for has a time, unlike a place in line. */
function untilText(untilMs: number, reading: Reading): string {
  const leftMs = untilMs - reading.nowMs
  if (leftMs <= 0) return ', any moment now'
  const isSoon = leftMs < secondsMatterMs
  const clock = isSoon ? clockText(untilMs, reading.timeZone, true) : whenText(untilMs, reading)
  return ` until ${clock}`
}

const secondsMatterMs = 120_000

function remaining(until: string, nowMs: number): string {
  const leftMs = Date.parse(until) - nowMs
  return leftMs <= 0 ? 'any moment now' : aboutText(leftMs)
}

/** Isolated, so that a title in another script does not turn the sentence around. */
function quoted(promptId: string, { titleOf }: WaitContext): string {
  const title = titleOf?.(promptId)
  return title === undefined ? 'another prompt' : `“\u2068${title}\u2069”`
}

function unreachable(reason: never): never {
  throw new Error(`a reason to wait has no words: ${JSON.stringify(reason)}`)
}
