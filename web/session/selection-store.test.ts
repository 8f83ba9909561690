import { beforeEach, expect, test } from 'vitest'
import { useSelection } from './selection-store.ts'

const initial = useSelection.getInitialState()
const now = () => useSelection.getState()
const ids = () => [...now().ids]
const order = ['a', 'b', 'c', 'd', 'e']

beforeEach(() => useSelection.setState(initial, true))

test('selecting one replaces what was selected; toggling adds and takes away', () => {
  now().select('a')
  now().select('b')
  now().toggle('d')
  expect(ids()).toEqual(['b', 'd'])
  now().toggle('b')
  expect(ids()).toEqual(['d'])
  expect(now().focusedId).toBe('b')
})

test('a range goes from the anchor, either way, and shrinks again', () => {
  now().select('c')
  now().extendTo('e', order)
  expect(ids()).toEqual(['c', 'd', 'e'])
  now().extendTo('d', order)
  expect(ids()).toEqual(['c', 'd'])
  now().extendTo('a', order)
  expect(ids()).toEqual(['a', 'b', 'c'])
})

test('a range without an anchor, or to one that is not there, is that one alone', () => {
  now().extendTo('b', order)
  expect(ids()).toEqual(['b'])
  now().extendTo('z', order)
  expect(ids()).toEqual(['z'])
})

test('moving the keyboard selects nothing, clearing leaves it where it is', () => {
  now().focus('a')
  expect(ids()).toEqual([])
  now().selectAll(['a', 'b'])
  now().clear()
  expect(now()).toMatchObject({ focusedId: 'a', anchorId: null })
  expect(ids()).toEqual([])
})

test('prompts that are no more are no longer selected', () => {
  now().select('a')
  now().toggle('b')
  now().keepOnly((id) => id === 'a')
  expect(ids()).toEqual(['a'])
  expect(now()).toMatchObject({ focusedId: null, anchorId: null })
  const before = now().ids
  now().keepOnly(() => true)
  expect(now().ids).toBe(before)
})
