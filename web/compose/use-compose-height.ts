import { type RefObject, useLayoutEffect } from 'react'

/** Tells the style sheets how high the bar stands, so that nothing that matters hides behind it. */
export function useComposeHeight(form: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = form.current
    if (element === null) return
    const root = document.documentElement
    const observer = new ResizeObserver(() => {
      root.style.setProperty('--compose-height', `${element.offsetHeight}px`)
    })
    observer.observe(element)
    return () => {
      observer.disconnect()
      root.style.removeProperty('--compose-height')
    }
  }, [form])
}
