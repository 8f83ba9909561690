import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { type Keeping, keepingAfterScroll, newLines, type ScrollFacts } from './scroll-keeper.ts'

const linePx = 24
const turnTopPx = 8
/** By then what stands above the opened turn has been read and drawn; later changes are met by the browser. */
const holdTurnMs = 2_500
const handSigns = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const

/**
 * Keeps the view of a thread where its reader wants it. Text that is being written stands in elements with
 * `data-written`; the turn that was opened has `data-turn-id`.
 *
 * @param startsAtEnd what is opened is still being written, and is the last turn; counts when `openId` changes
 */
export function useScrollKeeper(
  scroller: RefObject<HTMLElement | null>,
  openId: string,
  startsAtEnd: boolean,
): { readonly linesBelow: number; readonly goToEnd: () => void } {
  const keeping = useRef<Keeping>('turn')
  const before = useRef<ScrollFacts>({ scrollTop: 0, scrollHeight: 0, clientHeight: 0 })
  const writtenThen = useRef(0)
  const [linesBelow, setLinesBelow] = useState(0)

  const settle = useCallback(() => {
    const box = scroller.current
    if (box === null) return
    if (keeping.current === 'end') box.scrollTop = box.scrollHeight
    else if (keeping.current === 'turn') {
      const turn = box.querySelector(`[data-turn-id="${openId}"]`)
      if (turn !== null) {
        box.scrollTop += turn.getBoundingClientRect().top - box.getBoundingClientRect().top - turnTopPx
      }
    }
    // The browser holds what is in view by itself, which is right for a reader and in the way of everything else.
    box.style.overflowAnchor = keeping.current === 'reader' ? 'auto' : 'none'
    before.current = factsOf(box)
  }, [scroller, openId])

  const leaveAlone = useCallback(() => {
    const box = scroller.current
    if (box === null) return
    keeping.current = 'reader'
    writtenThen.current = writtenPx(box)
    settle()
  }, [scroller, settle])

  const startsThere = useRef(startsAtEnd)
  useLayoutEffect(() => {
    startsThere.current = startsAtEnd
  })
  useLayoutEffect(() => {
    keeping.current = startsThere.current ? 'end' : 'turn'
    setLinesBelow(0)
    settle()
    const timer = setTimeout(() => {
      if (keeping.current === 'turn') leaveAlone()
    }, holdTurnMs)
    return () => clearTimeout(timer)
  }, [settle, leaveAlone])

  useEffect(() => {
    const box = scroller.current
    const content = box?.firstElementChild
    if (box === null || content === null || content === undefined) return

    const grown = () => {
      settle()
      if (keeping.current !== 'reader') {
        writtenThen.current = writtenPx(box)
        setLinesBelow(0)
        return
      }
      const written = writtenPx(box)
      // Nothing is being written any more: what was counted stays below until it was looked at.
      if (written > 0) setLinesBelow(newLines(written, writtenThen.current, linePx))
    }
    const scrolled = () => {
      const now = factsOf(box)
      const was = keeping.current
      const next = keepingAfterScroll(was, before.current, now)
      before.current = now
      if (next === 'reader' && was !== 'reader') leaveAlone()
      keeping.current = next
      if (next === 'end') setLinesBelow(0)
    }
    const touched = () => {
      if (keeping.current === 'turn') leaveAlone()
    }
    /** Who folds or unfolds something looks at that. */
    const clicked = (event: MouseEvent) => {
      if (event.target instanceof Element && event.target.closest('[aria-expanded]') !== null) leaveAlone()
    }
    const observer = new ResizeObserver(grown)
    observer.observe(content)
    box.addEventListener('scroll', scrolled, { passive: true })
    box.addEventListener('click', clicked, { capture: true })
    for (const sign of handSigns) box.addEventListener(sign, touched, { passive: true })
    return () => {
      observer.disconnect()
      box.removeEventListener('scroll', scrolled)
      box.removeEventListener('click', clicked, { capture: true })
      for (const sign of handSigns) box.removeEventListener(sign, touched)
    }
  }, [scroller, settle, leaveAlone])

  const goToEnd = useCallback(() => {
    keeping.current = 'end'
    setLinesBelow(0)
    settle()
  }, [settle])

  return { linesBelow, goToEnd }
}

function factsOf({ scrollTop, scrollHeight, clientHeight }: HTMLElement): ScrollFacts {
  return { scrollTop, scrollHeight, clientHeight }
}

function writtenPx(box: HTMLElement): number {
  let height = 0
  for (const element of box.querySelectorAll('[data-written]')) {
    height += element.getBoundingClientRect().height
  }
  return height
}
