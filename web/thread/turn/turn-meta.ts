import type { EarlierJob, PromptView } from '../../../shared/prompt-view.ts'
import type { Look } from '../../marks/look-of.ts'
import { latenessText } from '../../marks/planned-words.ts'
import { type LinePart, tokensText } from '../../marks/prompt-line.ts'
import { stateWords } from '../../marks/state-words.ts'
import { durationText, type Reading, whenText } from '../../marks/time-text.ts'

/**
 * How a turn stands, in words. Unlike the line below a drop it leaves times to `turnFacts`, and the reason of a
 * failure to the place where the answer would stand.
 */
export function turnLine(look: Look, line: readonly LinePart[]): readonly LinePart[] {
  switch (look.disc) {
    case 'orphan':
      return [{ text: stateWords.orphan.lead, strong: true }]
    case 'settled':
      return look.verdict === null ? [{ text: stateWords.settled.lead }] : line
    case 'new':
      return line.map((part) => (part.text.startsWith(' · answered') ? { text: ' · answered' } : part))
    default:
      return line
  }
}

/** A piece of what is known; `atMs`: the instant that it tells. */
export interface TurnFact {
  readonly text: string
  readonly atMs?: number
}

/** What is known of a turn beside its state: model, tokens, how long it took, when, which attempt it was, and how late it began. */
export function turnFacts(
  view: PromptView,
  reading: Reading,
  liveTokens: number | undefined,
): readonly TurnFact[] {
  const isRunning = view.state === 'running'
  const late = latenessText(view, reading)
  const isTimed = view.state === 'succeeded' || view.state === 'failed'
  const tokens = isRunning ? null : (view.tokens ?? liveTokens ?? null)
  const endMs = view.finished_at === null ? reading.nowMs : Date.parse(view.finished_at)
  const hasTime = view.started_at !== null && (isRunning || view.state === 'succeeded')
  return [
    // The tag beside it says so already.
    ...(view.model === null || (view.practice && view.model === 'practice') ? [] : [{ text: view.model }]),
    ...(tokens === null || tokens === 0 ? [] : [{ text: tokensText(tokens) }]),
    ...(hasTime && view.started_at !== null
      ? [{ text: durationText(endMs - Date.parse(view.started_at)) }]
      : []),
    ...(view.attempt > 1 ? [{ text: `attempt ${view.attempt} of ${view.max_attempts}` }] : []),
    ...(isTimed && view.finished_at !== null ? [instantFact(view.finished_at, reading)] : []),
    ...(late === null ? [] : [{ text: late }]),
  ]
}

/** *1 earlier answer, kept*: how many there are, and what each was and when. */
export function earlierWords(
  jobs: readonly EarlierJob[],
  reading: Reading,
): { readonly head: string; readonly each: readonly TurnFact[] } | null {
  if (jobs.length === 0) return null
  const answers = jobs.filter(({ outcome }) => outcome === 'succeeded').length
  const other = jobs.length - answers
  const head = [
    ...(answers === 0 ? [] : [`${answers} earlier ${answers === 1 ? 'answer' : 'answers'}, kept`]),
    ...(other === 0 ? [] : [`${other} earlier ${other === 1 ? 'try' : 'tries'}`]),
  ].join(' · ')
  return {
    head,
    each: jobs.map(({ outcome, at }) => instantFact(at, reading, `${outcomeWords[outcome]} `)),
  }
}

function instantFact(at: string, reading: Reading, before = ''): TurnFact {
  const atMs = Date.parse(at)
  return { text: `${before}${whenText(atMs, reading)}`, atMs }
}

const outcomeWords = { succeeded: 'answered', failed: 'failed', cancelled: 'cancelled' } as const
