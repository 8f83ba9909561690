import { type RefObject, useLayoutEffect } from 'react'
import { textDirection } from './text-direction.ts'

const growsByItself = typeof CSS !== 'undefined' && CSS.supports('field-sizing', 'content')
/** A text of this size fills the box to its greatest height; measuring and spelling it would only cost. */
const measuredCharsMax = 8_000

/** Lets the box fit its text of `chars` characters, also where boxes do not grow by themselves. */
export function useFittingBox(box: RefObject<HTMLTextAreaElement | null>, chars: number): void {
  useLayoutEffect(() => {
    const element = box.current
    if (element !== null) fitBox(element, chars)
  }, [box, chars])
}

/** To be called ahead of a large insertion too: a box that still fits its text would lay all of it out twice. */
export function fitBox(element: HTMLTextAreaElement, chars: number): void {
  const isLarge = chars > measuredCharsMax
  element.toggleAttribute('data-large', isLarge)
  element.spellcheck = !isLarge
  const direction = textDirection(element.value)
  if (element.dir !== direction) element.dir = direction
  if (growsByItself) return
  element.style.height = 'auto'
  if (!isLarge) element.style.height = `${element.scrollHeight}px`
}
