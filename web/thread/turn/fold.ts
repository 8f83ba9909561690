/** What is longer than this is folded until a person unfolds it. */
export const foldLines = 18
/** A fold that would hide less than this saves nothing. */
const worthwhileLines = 5
/** Characters of a line as wide as the reader's column, by eye. */
const lineChars = 72

export interface Fold {
  /** What stands above the fold. */
  readonly head: string
  /** How many more lines there are, about. */
  readonly hiddenLines: number
}

/**
 * Where a text is to be folded; null if it is short enough to stand whole. Counts lines as they will be wrapped, so
 * that a long text need not be drawn to be measured; cuts between lines, or inside one that never ends.
 */
export function foldOf(text: string): Fold | null {
  let lines = 0
  let headEnd: number | null = null
  for (let start = 0; start <= text.length; ) {
    const found = text.indexOf('\n', start)
    const end = found === -1 ? text.length : found
    const wrapped = Math.max(1, Math.ceil((end - start) / lineChars))
    if (headEnd === null && lines + wrapped > foldLines) {
      const roomChars = (foldLines - lines) * lineChars
      headEnd = roomChars > 0 && wrapped > 1 ? wordEnd(text, start + roomChars) : start
    }
    lines += wrapped
    start = end + 1
  }
  if (headEnd === null || lines < foldLines + worthwhileLines) return null
  return { head: text.slice(0, headEnd).trimEnd(), hiddenLines: lines - foldLines }
}

/** The last place between words before `at`; `at` itself if that word fills the line. */
function wordEnd(text: string, at: number): number {
  const space = text.lastIndexOf(' ', at)
  if (space > at - lineChars) return space
  // Not within a surrogate pair.
  return text.charCodeAt(at) >= 0xdc00 && text.charCodeAt(at) < 0xe000 ? at - 1 : at
}
