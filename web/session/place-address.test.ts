// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bindPlaceToAddress, placeOfSearch, searchOfPlace } from './place-address.ts'
import { startPlace, usePlace } from './place-store.ts'

const promptId = '01957b1c-0000-7000-8000-000000000001'
const now = () => usePlace.getState()
let unbind = () => {}

beforeEach(() => {
  window.history.replaceState(null, '', '/')
  usePlace.setState(startPlace)
})
afterEach(() => unbind())

describe('an address', () => {
  test.for([
    { view: 'list', promptId, panel: 'trace' },
    { view: 'field', promptId, panel: 'thread' },
    { view: 'field', promptId: null, panel: 'thread' },
  ] as const)('says where one is, and leads back there: %o', (place) => {
    expect(placeOfSearch(searchOfPlace(place, '', 'field'), 'field')).toEqual(place)
    expect(placeOfSearch(searchOfPlace(place, '', 'list'), 'list')).toEqual(place)
  })

  test('leaves out what is as usual, and leaves alone what it does not know', () => {
    expect(searchOfPlace(startPlace, '', 'field')).toBe('')
    expect(searchOfPlace({ ...startPlace, view: 'list' }, '?x=1', 'field')).toBe('?x=1&view=list')
  })

  test('that was tampered with is read as if it said nothing', () => {
    const search = '?prompt=%3Cscript%3E&view=moon&panel=7'
    expect(placeOfSearch(search, 'field')).toEqual(startPlace)
  })
})

describe('the page', () => {
  test('opens where its address says, after a reload too', () => {
    window.history.replaceState(null, '', `/?prompt=${promptId}&panel=trace&view=list`)
    unbind = bindPlaceToAddress(window, 'field')
    expect(now()).toMatchObject({ promptId, panel: 'trace', view: 'list' })
  })

  test('has an address that follows, and opening is a step to go back from while changing the view is none', () => {
    unbind = bindPlaceToAddress(window, 'field')
    const steps = window.history.length
    now().show('list')
    expect(window.location.search).toBe('?view=list')
    expect(window.history.length).toBe(steps)
    now().open(promptId, 'trace')
    expect(window.location.search).toBe(`?view=list&prompt=${promptId}&panel=trace`)
    expect(window.history.length).toBe(steps + 1)
  })

  test('follows the way back', () => {
    unbind = bindPlaceToAddress(window, 'field')
    now().open(promptId)
    window.history.replaceState(null, '', '/')
    window.dispatchEvent(new PopStateEvent('popstate'))
    expect(now().promptId).toBeNull()
  })

  test('no longer follows once it is told to stop', () => {
    bindPlaceToAddress(window, 'field')()
    now().open(promptId)
    expect(window.location.search).toBe('')
  })
})
