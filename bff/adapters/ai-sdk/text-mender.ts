import { storable } from '../../domain/prompt-text.ts'

export interface TextMender {
  /** The storable text that is certain after this piece; empty while half a character is held back. */
  push(piece: string): string
  /** What was held back, at the end. */
  flush(): string
}

/** Makes streamed text storable without breaking a surrogate pair that a provider cut in two. */
export function createTextMender(): TextMender {
  let held = ''
  return {
    push: (piece) => {
      const text = held + piece
      const last = text.charCodeAt(text.length - 1)
      const cut = last >= 0xd800 && last <= 0xdbff
      held = cut ? text.slice(-1) : ''
      return storable(cut ? text.slice(0, -1) : text)
    },
    flush: () => {
      const text = storable(held)
      held = ''
      return text
    },
  }
}
