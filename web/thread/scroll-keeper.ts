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
 * What a scroll means: the reader went up and is left alone, or came back to the end and goes along with it. `before`
 * is how things stood after the last move of ours. While a turn is held, only a hand counts, not the offset, which
 * changes by itself as the turns above are read and drawn; a text that shrank moves the view too.
 */
export function keepingAfterScroll(keeping: Keeping, before: ScrollFacts, now: ScrollFacts): Keeping {
  const movedPx = now.scrollTop - before.scrollTop
  if (keeping === 'turn' || Math.abs(movedPx) <= 1) return keeping
  if (movedPx > 0) return isAtEnd(now) ? 'end' : keeping
  return now.scrollHeight < before.scrollHeight ? keeping : 'reader'
}

/** Lines written since the reader went away from the end. */
export function newLines(writtenPx: number, writtenThenPx: number, linePx: number): number {
  return Math.max(0, Math.round((writtenPx - writtenThenPx) / linePx))
}
