import type { ResponseDelta } from '../../../shared/change.ts'
import type { PromptDetail } from '../../../shared/observe.ts'
import type { PromptView } from '../../../shared/prompt-view.ts'

/**
 * Text of a running attempt as far as it came. *Joined*: the stream that is open follows on from here, delta by
 * delta. `seq` counts what one stream has sent, so that a new stream has to be joined anew, by the draft so far.
 */
export interface LiveText {
  readonly jobId: string
  readonly run: number
  readonly isJoined: boolean
  readonly seq: number
  readonly text: string
  /** Output tokens as the server estimates them; known for prompts whose text was not asked for, too. */
  readonly tokens: number
  /** The run is over. What still arrives of it is dropped; a later run starts anew. */
  readonly isOver: boolean
}

export interface LiveWrites {
  readonly live?: LiveText
  readonly refetch?: true
}

export type Draft = NonNullable<PromptDetail['draft']>

/** @returns what to write; nothing for a delta that is doubled, or of a run or job that is over */
export function afterDelta(
  live: LiveText | undefined,
  view: PromptView | undefined,
  delta: ResponseDelta,
): LiveWrites {
  if (isOld(live, view, delta)) return {}
  const known = ofRun(live, delta.job_id, delta.run)
  const { seq } = delta
  const tokens = Math.max(known.tokens, delta.tokens)
  if (known.isJoined && seq <= known.seq) return {}
  if (delta.whole) return { live: { ...known, isJoined: true, seq, text: delta.text, tokens } }
  const follows = known.isJoined ? seq === known.seq + 1 : seq === 0 && known.text === ''
  if (follows && delta.text !== '') {
    return { live: { ...known, isJoined: true, seq, text: known.text + delta.text, tokens } }
  }
  // Counted, not written out: this stream was not asked for the text, and will begin with all of it when it is.
  if (delta.text === '' && (follows || !known.isJoined)) {
    return known.isJoined || tokens > known.tokens ? { live: { ...known, seq, tokens } } : {}
  }
  return { live: { ...known, isJoined: false, tokens }, refetch: true }
}

/** A reading of the draft: of use where no stream tells more, and where it tells of a run that is new here. */
export function afterDraft(
  live: LiveText | undefined,
  view: PromptView | undefined,
  draft: Draft,
): LiveWrites {
  if (isOld(live, view, draft)) return {}
  const known = ofRun(live, draft.job_id, draft.run)
  return known.isJoined || draft.text.length <= known.text.length
    ? {}
    : { live: { ...known, text: draft.text } }
}

/** The stream that told of it is gone. */
export function afterStream(live: LiveText): LiveText {
  return live.isJoined ? { ...live, isJoined: false } : live
}

/** The prompt was read whole: if its run is over, what it wrote is in there. */
export function afterReading(live: LiveText | undefined): LiveText | undefined {
  return live?.isOver && live.text !== '' ? { ...live, text: '' } : live
}

/** What is left of the live text once `view` is known: none of a replaced job, no more of a run that ended. */
export function afterView(live: LiveText | undefined, view: PromptView): LiveText | undefined {
  if (live === undefined) return undefined
  if (live.jobId !== view.job_id) {
    return view.earlier_jobs.some((job) => job.job_id === live.jobId) ? undefined : live
  }
  if (view.state === 'running' || live.isOver) return live
  // What a settled job wrote is shown until its answer was read; what a requeued one wrote is void.
  return { ...live, isOver: true, text: view.state === 'queued' ? '' : live.text }
}

function isOld(
  live: LiveText | undefined,
  view: PromptView | undefined,
  said: { job_id: string; run: number; attempt?: number },
): boolean {
  if (live?.jobId === said.job_id) {
    if (said.run < live.run || (said.run === live.run && live.isOver)) return true
  }
  if (view === undefined) return false
  if (view.job_id !== said.job_id) return view.earlier_jobs.some((job) => job.job_id === said.job_id)
  const isSettled = view.state !== 'running' && view.state !== 'queued'
  return isSettled || (said.attempt !== undefined && said.attempt < view.attempt)
}

function ofRun(live: LiveText | undefined, jobId: string, run: number): LiveText {
  if (live?.jobId === jobId && live.run === run) return live
  return { jobId, run, isJoined: false, seq: -1, text: '', tokens: 0, isOver: false }
}
