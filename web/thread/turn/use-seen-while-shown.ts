import { type RefObject, useEffect, useRef } from 'react'
import { useSeen } from '../../sync/hooks.ts'

/** A glance at what stands beside the open one is not a reading. */
const readMs = 1_000

/**
 * Marks an answer as seen in a tab that is looked at: that of the open prompt as soon as it is in view, any other once
 * it was in view for a second.
 */
export function useSeenWhileShown(
  element: RefObject<HTMLElement | null>,
  promptId: string,
  { isUnseen, isOpen }: { isUnseen: boolean; isOpen: boolean },
): void {
  const markSeen = useSeen()
  const isInView = useRef(false)
  const consider = useRef<() => void>(() => undefined)
  useEffect(() => {
    const shown = element.current
    if (shown === null) return
    // Watched also while there is nothing to see: an answer that arrives finds it in view already.
    const observer = new IntersectionObserver(([entry]) => {
      isInView.current = entry?.isIntersecting ?? false
      consider.current()
    })
    observer.observe(shown)
    return () => observer.disconnect()
  }, [element])
  useEffect(() => {
    if (!isUnseen) return
    let timer: ReturnType<typeof setTimeout> | undefined
    consider.current = () => {
      clearTimeout(timer)
      if (!isInView.current || document.visibilityState !== 'visible') return
      if (isOpen) markSeen([promptId])
      else timer = setTimeout(() => markSeen([promptId]), readMs)
    }
    const look = () => consider.current()
    look()
    document.addEventListener('visibilitychange', look)
    return () => {
      clearTimeout(timer)
      consider.current = () => undefined
      document.removeEventListener('visibilitychange', look)
    }
  }, [promptId, isUnseen, isOpen, markSeen])
}
