/** Of a scrolling box, what decides. */
export interface ScrollFacts {
  readonly scrollTop: number
  readonly scrollHeight: number
  readonly clientHeight: number
}

/**
 * Where the view stays when the text below or above it grows: at the end of what is being written, at the turn that
 * was opened, or, once the reader has moved, exactly where it is.
 */
export type Keeping = 'end' | 'turn' | 'reader'

const nearEndPx = 48

export function isAtEnd({ scrollTop, scrollHeight, clientHeight }: ScrollFacts): boolean {
  return scrollHeight - scrollTop - clientHeight < nearEndPx
}

/**
 * What a scroll means: the reader moved and is left alone, or came back to the end and goes along with it. `before` is
 * how things stood after the last move of ours.
 */
export function keepingAfterScroll(keeping: Keeping, before: ScrollFacts, now: ScrollFacts): Keeping {
  const movedPx = now.scrollTop - before.scrollTop
  if (Math.abs(movedPx) <= 1) return keeping
  if (isAtEnd(now)) return 'end'
  return keeping === 'turn' || movedPx < 0 ? 'reader' : keeping
}

/** Lines written since the reader went away from the end. */
export function newLines(writtenPx: number, writtenThenPx: number, linePx: number): number {
  return Math.max(0, Math.round((writtenPx - writtenThenPx) / linePx))
}
