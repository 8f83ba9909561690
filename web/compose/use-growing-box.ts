import { type RefObject, useLayoutEffect } from 'react'

const growsByItself = typeof CSS !== 'undefined' && CSS.supports('field-sizing', 'content')
/** A text of this size fills the box to its greatest height; measuring it would only cost. */
const measuredCharsMax = 8_000

/** Lets the box fit its text of `chars` characters, also where boxes do not grow by themselves. */
export function useGrowingBox(box: RefObject<HTMLTextAreaElement | null>, chars: number): void {
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const isLarge = chars > measuredCharsMax
    element.toggleAttribute('data-large', isLarge)
    if (growsByItself) return
    element.style.height = 'auto'
    if (!isLarge) element.style.height = `${element.scrollHeight}px`
  }, [box, chars])
}
