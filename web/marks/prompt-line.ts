import type { PromptView } from '../../shared/prompt-view.ts'
import type { WaitReason } from '../../shared/wait-reason.ts'
import type { Look, LookNow } from './look-of.ts'
import { failureSentence, stateWords, verdictWords } from './state-words.ts'
import { countText, durationText, noBreakSpace, whenText } from './time-text.ts'
import { type WaitContext, waitText } from './wait-words.ts'

/** A piece of the line below a title; `strong` pieces carry the state's colour and weight. */
export type LinePart = {
  readonly text: string
  readonly strong?: true
  readonly breakBefore?: true
  /** The instant that the text tells in the reader's zone. */
  readonly atMs?: number
}

export type LineFacts = Pick<
  PromptView,
  | 'error_kind'
  | 'external'
  | 'finished_at'
  | 'promoted'
  | 'started_at'
  | 'time_in_gap'
  | 'time_zone'
  | 'tokens'
  | 'updated_at'
  | 'verdict'
  | 'wait_reason'
>

export type LineContext = Omit<LookNow, 'place'> &
  WaitContext & {
    /** Output tokens of a running attempt as the feed estimates them. */
    readonly liveTokens?: number | undefined
    /** How many prompts a promoted answer grounds. */
    readonly grounds?: number | undefined
  }

/** What stands below a drop's title: the state's word first, then what is known. The disc decides the state. */
export function promptLine(view: LineFacts, look: Look, context: LineContext): readonly LinePart[] {
  const words = stateWords[look.disc]
  const lead: LinePart = words.strong ? { text: words.lead, strong: true } : { text: words.lead }
  const verdict: LinePart[] = view.verdict
    ? [{ text: ' · ' }, { text: verdictWords[view.verdict], strong: true }]
    : []
  switch (look.disc) {
    case 'unsent':
      return [lead, { text: ', not sent yet' }]
    case 'orphan':
      return [lead, { text: ` · ${failureSentence(view.error_kind)}` }]
    case 'review':
      return [lead, ...(view.started_at ? [{ text: ` · ${sinceText(view.started_at, context.nowMs)}` }] : [])]
    case 'pending': {
      const tokens = context.liveTokens ?? view.tokens
      return tokens === null || tokens === 0 ? [lead] : [lead, { text: ` · ${tokensText(tokens)}` }]
    }
    case 'external':
      return externalLine(view, context)
    case 'queued': {
      const reason = context.waitReason === undefined ? view.wait_reason : context.waitReason
      return [lead, { text: ` · ${waitText(reason, { ...context, planned: view })}`, ...instantOf(reason) }]
    }
    case 'cancelled':
    case 'superseded': {
      const at = Date.parse(view.finished_at ?? view.updated_at)
      const end = look.disc === 'superseded' ? ' by a retry' : ''
      return [{ text: `${words.lead} ${whenText(at, context)}${end}`, atMs: at }]
    }
    case 'truncated':
      return [lead, ...verdict]
    case 'new':
      return [
        lead,
        { text: ` · answered${answeredAt(view, context)}`, ...instantAt(view.finished_at) },
        ...verdict,
      ]
    case 'promoted': {
      if (look.className.includes('is-new')) {
        return [{ text: stateWords.new.lead, strong: true }, { text: ` · ${words.lead}` }, ...verdict]
      }
      const grounds = context.grounds ? [{ text: ` · grounds ${countText(context.grounds)}` }] : []
      return [lead, ...grounds, ...verdict]
    }
    case 'settled':
      return verdict.length > 0 ? [lead, ...verdict] : [{ text: `${words.lead}${tookText(view)}` }]
    case 'raft':
      return []
  }
}

/** The same line as one string: for accessible names, titles and copies. */
export function promptLineText(parts: readonly LinePart[]): string {
  return parts.map((part) => (part.breakBefore ? `, ${part.text}` : part.text)).join('')
}

export function tokensText(tokens: number): string {
  return `${countText(tokens)}${noBreakSpace}${tokens === 1 ? 'token' : 'tokens'}`
}

function externalLine(view: LineFacts, context: LineContext): readonly LinePart[] {
  const { external } = view
  if (!external) return [{ text: stateWords.pending.lead, strong: true }]
  const id = external.id === null ? '' : `${noBreakSpace}${external.id}`
  const where = `${external.backend}${id}`
  const status = external.status.toLowerCase()
  const what = external.reason ? `${status}, ${external.reason}` : status
  return [
    { text: `${stateWords.external.lead} ${where}`, strong: true },
    { text: `${what} ${sinceText(external.since, context.nowMs)}`, breakBefore: true },
  ]
}

function instantAt(at: string | null): { atMs?: number } {
  return at === null ? {} : { atMs: Date.parse(at) }
}

function instantOf(reason: WaitReason | null): { atMs?: number } {
  switch (reason?.code) {
    case 'scheduled':
    case 'backoff':
      return instantAt(reason.at)
    case 'rate_limit':
      return instantAt(reason.until)
    default:
      return {}
  }
}

function sinceText(start: string, nowMs: number): string {
  return durationText(nowMs - Date.parse(start))
}

function answeredAt(view: LineFacts, context: LineContext): string {
  return view.finished_at === null ? '' : ` ${whenText(Date.parse(view.finished_at), context)}`
}

function tookText(view: LineFacts): string {
  if (view.started_at === null || view.finished_at === null) return ''
  return ` · ${durationText(Date.parse(view.finished_at) - Date.parse(view.started_at))}`
}
