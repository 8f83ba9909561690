import type { ResponseDelta } from '../../../shared/change.ts'
import type { PromptView } from '../../../shared/prompt-view.ts'

/** Text of a running attempt as far as it came: deltas 0 to `seq` of run `run`, without a gap. */
export interface LiveText {
  readonly jobId: string
  readonly run: number
  /** −1: nothing yet. */
  readonly seq: number
  readonly text: string
  /** Output tokens as the server estimates them; known for prompts whose text was not asked for, too. */
  readonly tokens: number
  /** The run is over. What still arrives of it is dropped; a later run starts anew. */
  readonly isOver: boolean
  /** Deltas that came after a gap, kept until the draft so far has filled it. */
  readonly later: readonly ResponseDelta[]
}

export interface LiveWrites {
  readonly live?: LiveText
  readonly refetch?: true
}

const laterMax = 200

/** @returns what to write; nothing for a delta that is old, doubled, or of a job that is settled or replaced */
export function afterDelta(
  live: LiveText | undefined,
  view: PromptView | undefined,
  delta: ResponseDelta,
): LiveWrites {
  if (isOld(live, view, delta)) return {}
  const known =
    live !== undefined && live.jobId === delta.job_id && live.run === delta.run ? live : blank(delta)
  if (delta.whole) {
    if (delta.seq < known.seq) return {}
    return { live: drained({ ...known, seq: delta.seq, text: delta.text, tokens: delta.tokens }) }
  }
  // Counted, not written out: this stream did not ask for the text.
  if (delta.text === '')
    return delta.tokens <= known.tokens ? {} : { live: { ...known, tokens: delta.tokens } }
  if (delta.seq <= known.seq) return {}
  if (delta.seq === known.seq + 1) return { live: drained(appended(known, delta)) }
  if (known.later.some((other) => other.seq === delta.seq)) return {}
  return { live: { ...known, later: [...known.later, delta].slice(-laterMax) }, refetch: true }
}

/** What is left of the live text once `view` is known: none of a replaced job, no more of a run that ended. */
export function afterView(live: LiveText | undefined, view: PromptView): LiveText | undefined {
  if (live === undefined) return undefined
  if (live.jobId !== view.job_id) {
    return view.earlier_jobs.some((job) => job.job_id === live.jobId) ? undefined : live
  }
  return view.state === 'running' || live.isOver ? live : { ...live, isOver: true, text: '', later: [] }
}

function isOld(live: LiveText | undefined, view: PromptView | undefined, delta: ResponseDelta): boolean {
  if (live?.jobId === delta.job_id) {
    if (delta.run < live.run || (delta.run === live.run && live.isOver)) return true
  }
  if (view === undefined) return false
  if (view.job_id !== delta.job_id) return view.earlier_jobs.some((job) => job.job_id === delta.job_id)
  return (view.state !== 'running' && view.state !== 'queued') || delta.attempt < view.attempt
}

function blank({ job_id, run }: ResponseDelta): LiveText {
  return { jobId: job_id, run, seq: -1, text: '', tokens: 0, isOver: false, later: [] }
}

function appended(live: LiveText, delta: ResponseDelta): LiveText {
  return {
    ...live,
    seq: delta.seq,
    text: live.text + delta.text,
    tokens: Math.max(live.tokens, delta.tokens),
  }
}

/** Takes up what was kept for after the gap, as far as it follows. */
function drained(live: LiveText): LiveText {
  let result = live
  for (const delta of [...live.later].sort((one, other) => one.seq - other.seq)) {
    if (delta.seq === result.seq + 1) result = appended(result, delta)
  }
  return { ...result, later: result.later.filter((delta) => delta.seq > result.seq) }
}
