import { useSyncExternalStore } from 'react'

/** Below this a phone is held, or the page is zoomed to 400 %: the list comes first. As in the style sheets. */
const narrowQuery = '(max-width: 640px)'
/** From here on a panel stands beside the field; below it the panel covers it. */
const roomyQuery = '(min-width: 1100px)'

export function isNarrow(): boolean {
  return window.matchMedia(narrowQuery).matches
}

export function useIsNarrow(): boolean {
  return useMedia(narrowQuery)
}

export function useIsRoomy(): boolean {
  return useMedia(roomyQuery)
}

function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const list = window.matchMedia(query)
      list.addEventListener('change', listener)
      return () => list.removeEventListener('change', listener)
    },
    () => window.matchMedia(query).matches,
  )
}
