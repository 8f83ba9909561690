import { useComposeTarget } from '../session/compose-target-store.ts'
import { usePlace } from '../session/place-store.ts'
import { usePreferences } from '../session/preferences-store.ts'
import { useSelection } from '../session/selection-store.ts'

/**
 * What is open is what is selected, unless several are; and the box goes on from it. Closing leaves it selected on the
 * field, where that can be seen, and turns the box back to a new thread in the list. A text that was begun is never
 * turned elsewhere by a mere selection.
 */
export function bindOpenPrompt(): () => void {
  const wanted = () => {
    const { promptId } = usePlace.getState()
    const { ids } = useSelection.getState()
    return promptId ?? (ids.size === 1 ? ([...ids][0] ?? null) : null)
  }
  const { promptId: openAtFirst } = usePlace.getState()
  if (openAtFirst !== null) useSelection.getState().select(openAtFirst)
  useComposeTarget.getState().follow(wanted())
  const undoPlace = usePlace.subscribe((place, before) => {
    if (place.promptId === before.promptId) return
    const selection = useSelection.getState()
    if (selection.ids.size <= 1) {
      if (place.promptId !== null) selection.select(place.promptId)
      else if (place.view === 'list') selection.clear()
    }
    useComposeTarget.getState().follow(wanted())
  })
  const undoSelection = useSelection.subscribe((selection, before) => {
    const { hasText, follow } = useComposeTarget.getState()
    if (selection.ids === before.ids || usePlace.getState().promptId !== null || hasText) return
    follow(wanted())
  })
  return () => {
    undoPlace()
    undoSelection()
  }
}

/** Esc closes the topmost thing that is open, and never ends any work. Whoever takes the key first keeps it. */
export function bindEscape(page: Window): () => void {
  const pressed = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing || event.keyCode === 229) return
    if (usePlace.getState().promptId !== null) usePlace.getState().close()
    else useSelection.getState().clear()
  }
  page.addEventListener('keydown', pressed)
  return () => page.removeEventListener('keydown', pressed)
}

/** C goes to the box, L changes between field and list; nowhere that a letter is meant to be typed. */
export function bindSingleKeys(page: Window): () => void {
  const pressed = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.isComposing) return
    if (!usePreferences.getState().singleKeys || isTypedInto(event.target)) return
    if (event.key === 'c') useComposeTarget.getState().focusBox()
    else if (event.key === 'l') usePlace.getState().toggleView()
    else return
    event.preventDefault()
  }
  page.addEventListener('keydown', pressed)
  return () => page.removeEventListener('keydown', pressed)
}

function isTypedInto(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input, textarea, select, [contenteditable], [role=menu]') !== null
  )
}

/**
 * Tells the style sheets how much of the page the on-screen keyboard covers. Where the browser makes the page smaller
 * itself, as `interactive-widget` asks it to, that is nothing.
 */
export function bindKeyboardInset(page: Window): () => void {
  const { visualViewport: viewport } = page
  if (!viewport) return () => undefined
  const measure = () => {
    // A page that is zoomed in with two fingers has a small viewport too, and no keyboard.
    const covered = viewport.scale > 1.01 ? 0 : page.innerHeight - viewport.height - viewport.offsetTop
    page.document.documentElement.style.setProperty('--keyboard', `${Math.max(0, Math.round(covered))}px`)
  }
  viewport.addEventListener('resize', measure)
  viewport.addEventListener('scroll', measure)
  return () => {
    viewport.removeEventListener('resize', measure)
    viewport.removeEventListener('scroll', measure)
  }
}
