import { type Place, startPlace, usePlace } from './place-store.ts'

const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** `?view=list&prompt=…&panel=trace`; what is as usual is left out, what belongs to others stays. */
export function searchOfPlace(place: Place, search: string, usualView: Place['view']): string {
  const params = new URLSearchParams(search)
  const put = (name: string, value: string | null) =>
    value === null ? params.delete(name) : params.set(name, value)
  put('view', place.view === usualView ? null : place.view)
  put('prompt', place.promptId)
  put('panel', place.promptId === null || place.panel === 'thread' ? null : place.panel)
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

/** @returns the place that an address names; anything that it does not know counts as not said */
export function placeOfSearch(search: string, usualView: Place['view']): Place {
  const params = new URLSearchParams(search)
  const view = params.get('view')
  const prompt = params.get('prompt')
  return {
    view: view === 'list' || view === 'field' ? view : usualView,
    promptId: prompt !== null && idPattern.test(prompt) ? prompt : null,
    panel: params.get('panel') === 'trace' ? 'trace' : startPlace.panel,
  }
}

/**
 * Keeps address and place alike: a reload restores the place, *Back* closes what was opened. Changing the view makes
 * no step to go back to. `usualView` is what an address without a view means, a list on a narrow screen.
 * @returns the way to stop
 */
export function bindPlaceToAddress(page: Window, usualView: Place['view']): () => void {
  const goThere = () => usePlace.getState().goTo(placeOfSearch(page.location.search, usualView))
  goThere()
  const unsubscribe = usePlace.subscribe((place, before) => {
    const search = searchOfPlace(place, page.location.search, usualView)
    if (search === page.location.search) return
    const url = `${page.location.pathname}${search}${page.location.hash}`
    if (place.promptId !== before.promptId) page.history.pushState(null, '', url)
    else page.history.replaceState(null, '', url)
  })
  page.addEventListener('popstate', goThere)
  return () => {
    unsubscribe()
    page.removeEventListener('popstate', goThere)
  }
}
