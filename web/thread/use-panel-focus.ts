import { type RefObject, useEffect } from 'react'

/**
 * Takes the focus into the panel when it opens, and gives it back to where it was, or to the prompt's own mark, when
 * it closes. Who is writing keeps it: a prompt that is sent from within a thread opens there by itself.
 */
export function usePanelFocus(panel: RefObject<HTMLElement | null>, promptId: string): void {
  useEffect(() => {
    const element = panel.current
    const before = document.activeElement
    // On the body it is nowhere: the panel came with the page, and nobody asked for it just now.
    if (!isWriting(before) && before !== document.body) {
      element?.querySelector<HTMLElement>('[data-panel-title]')?.focus({ preventScroll: true })
    }
    return () => {
      const now = document.activeElement
      if (now !== null && now !== document.body && !element?.contains(now)) return
      const back = before instanceof HTMLElement && before.isConnected && before !== document.body
      if (back) before.focus({ preventScroll: true })
    }
  }, [panel])

  useEffect(() => {
    return () => {
      // The mark that was pressed may have been drawn anew since; the place in the address is the one to return to.
      queueMicrotask(() => {
        if (document.activeElement !== document.body || panel.current !== null) return
        document
          .querySelector<HTMLElement>(`[data-prompt-id="${promptId}"] button`)
          ?.focus({ preventScroll: true })
      })
    }
  }, [panel, promptId])
}

function isWriting(element: Element | null): boolean {
  return element instanceof HTMLTextAreaElement || element instanceof HTMLInputElement
}
