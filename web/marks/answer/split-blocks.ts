/**
 * Cuts Markdown into blocks that can be parsed apart: at blank lines, but not inside a fence, nor before the
 * continuation of a list. While text arrives at the end all blocks but the last two stay as they are, so that
 * only those are parsed again.
 */
export function splitBlocks(markdown: string): string[] {
  const blocks: string[] = []
  let lines: string[] = []
  let blanks = 0
  let fence: string | null = null
  const close = () => {
    if (lines.length > 0) blocks.push(lines.join('\n'))
    lines = []
  }
  for (const line of markdown.split(/\r\n|\r|\n/)) {
    if (fence === null && line.trim() === '') {
      blanks += 1
      continue
    }
    if (blanks > 0) {
      if (fence === null && !continues(lines, line)) close()
      else if (lines.length > 0) for (let blank = 0; blank < blanks; blank += 1) lines.push('')
      blanks = 0
    }
    lines.push(line)
    const mark = fenceMark(line)
    if (fence === null) fence = mark?.opens ? mark.mark : null
    else if (mark?.closes && mark.mark.startsWith(fence)) fence = null
  }
  close()
  return blocks
}

/** A line begins with a fence, in a list or a quotation too. Backticks after it make it a span of code instead. */
function fenceMark(line: string): { mark: string; opens: boolean; closes: boolean } | null {
  const match = /^[\s>]*(?:(?:[-+*]|\d{1,9}[.)])\s+)*(`{3,}|~{3,})(.*)$/.exec(line)
  const [, mark, rest] = match ?? []
  if (mark === undefined || rest === undefined) return null
  return { mark, opens: mark.startsWith('~') || !rest.includes('`'), closes: rest.trim() === '' }
}

const listItem = /^ {0,3}(?:[-+*]|\d{1,9}[.)])(?:\s|$)/

/** Whether what follows a blank line belongs to what was before it: more of a list, or something indented. */
function continues(lines: readonly string[], next: string): boolean {
  const first = lines[0]
  if (first === undefined) return false
  if (/^(?: {2}|\t)/.test(next)) return true
  return listItem.test(first) && listItem.test(next)
}

/** Definitions of reference links (`[name]: address`), which any block may use; one a line. */
export function linkDefinitions(blocks: readonly string[]): string {
  const found: string[] = []
  for (const block of blocks) {
    if (!block.includes(']:')) continue
    for (const line of block.split('\n')) if (/^ {0,3}\[[^\]^][^\]]*\]:\s*\S/.test(line)) found.push(line)
  }
  return found.join('\n')
}

/** Footnotes are numbered over the whole text, so such a text is parsed in one piece once it is complete. */
export function hasFootnotes(markdown: string): boolean {
  return /^ {0,3}\[\^[^\]]+\]:/m.test(markdown)
}
