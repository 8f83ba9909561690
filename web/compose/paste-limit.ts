import { promptCharsMax } from '../../shared/text.ts'

/** Beyond this the browser's own paste holds the page up for longer than a blink; setting the value does not. */
export const quickPasteCharsMax = 20_000

export type PasteVerdict =
  | { readonly kind: 'leave' }
  /** Put it in by setting the value. */
  | { readonly kind: 'place' }
  | { readonly kind: 'refuse'; readonly sentence: string }

/** What to do with a paste, before anything of it is inserted. `keptChars`: of the box, what the paste leaves there. */
export function judgePaste(pastedChars: number, keptChars: number): PasteVerdict {
  const chars = pastedChars + keptChars
  if (chars > promptCharsMax) {
    return {
      kind: 'refuse',
      sentence: `${tooLong(chars)} Nothing was pasted; what stood here is as it was.`,
    }
  }
  return pastedChars > quickPasteCharsMax ? { kind: 'place' } : { kind: 'leave' }
}

/** @returns the sentence that says so, or null while the text has room */
export function lengthProblem(chars: number): string | null {
  return chars > promptCharsMax ? tooLong(chars) : null
}

function tooLong(chars: number): string {
  return `That would be ${chars.toLocaleString('en')} characters; a prompt has room for ${promptCharsMax.toLocaleString('en')}.`
}
