import { type RefObject, useEffect } from 'react'
import { useSeen } from '../../sync/hooks.ts'

/** A glance is not a reading. */
const readMs = 1_000

/** Marks an answer as seen once it was in view for a second, in a tab that is looked at. */
export function useSeenWhileShown(
  element: RefObject<HTMLElement | null>,
  promptId: string,
  isUnseen: boolean,
): void {
  const markSeen = useSeen()
  useEffect(() => {
    const shown = element.current
    if (!isUnseen || shown === null) return
    let isInView = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const consider = () => {
      clearTimeout(timer)
      if (!isInView || document.visibilityState !== 'visible') return
      timer = setTimeout(() => markSeen([promptId]), readMs)
    }
    const observer = new IntersectionObserver(([entry]) => {
      isInView = entry?.isIntersecting ?? false
      consider()
    })
    observer.observe(shown)
    document.addEventListener('visibilitychange', consider)
    return () => {
      clearTimeout(timer)
      observer.disconnect()
      document.removeEventListener('visibilitychange', consider)
    }
  }, [element, promptId, isUnseen, markSeen])
}
