// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test } from 'vitest'
import { useComposeTarget } from '../session/compose-target-store.ts'
import { startPlace, usePlace } from '../session/place-store.ts'
import { useSelection } from '../session/selection-store.ts'
import { bindEscape, bindOpenPrompt, bindSingleKeys } from './bind-page.ts'

let undo: (() => void)[] = []

beforeEach(() => {
  usePlace.getState().goTo(startPlace)
  useSelection.getState().clear()
  useComposeTarget.setState({ parentId: null, focusTurn: 0, hasText: false })
  undo = [bindOpenPrompt(), bindEscape(window), bindSingleKeys(window)]
})

afterEach(() => {
  for (const each of undo) each()
})

const continued = () => useComposeTarget.getState().parentId
const selected = () => [...useSelection.getState().ids]
const pressEscape = () =>
  window.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', cancelable: true }))

test('what is open is selected, and is what the box continues', () => {
  usePlace.getState().open('a')
  expect(selected()).toEqual(['a'])
  expect(continued()).toBe('a')
})

test('Escape closes, then clears', () => {
  usePlace.getState().open('a')
  pressEscape()
  expect(usePlace.getState().promptId).toBeNull()
  expect(continued()).toBe('a')
  pressEscape()
  expect(selected()).toEqual([])
  expect(continued()).toBeNull()
})

test('closing in the list turns the box back to a new thread', () => {
  usePlace.getState().show('list')
  usePlace.getState().open('a')
  usePlace.getState().close()
  expect(continued()).toBeNull()
})

test('several that are selected stay so', () => {
  useSelection.getState().selectAll(['a', 'b'])
  usePlace.getState().open('c')
  expect(selected()).toEqual(['a', 'b'])
  expect(continued()).toBe('c')
})

test('a mere selection does not turn away a text that was begun', () => {
  useComposeTarget.getState().noteText(true)
  useSelection.getState().select('b')
  expect(continued()).toBeNull()
})

test('C goes to the box and L changes the view, but not from where letters are typed', () => {
  const press = (key: string, target: EventTarget) =>
    target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
  press('c', document.body)
  press('l', document.body)
  expect(useComposeTarget.getState().focusTurn).toBe(1)
  expect(usePlace.getState().view).toBe('list')
  const box = document.body.appendChild(document.createElement('textarea'))
  press('c', box)
  press('l', box)
  expect(useComposeTarget.getState().focusTurn).toBe(1)
  expect(usePlace.getState().view).toBe('list')
})
