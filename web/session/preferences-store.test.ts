import { afterEach, expect, test } from 'vitest'
import { bindPreferences, usePreferences } from './preferences-store.ts'

let unbind = () => {}
const initial = usePreferences.getInitialState()
afterEach(() => {
  unbind()
  usePreferences.setState(initial, true)
})

function storage(kept?: string) {
  const values = new Map(kept === undefined ? [] : [['mission_preferences', kept]])
  return {
    values,
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
  }
}

test('what is chosen here is kept, and wins over what the server has', () => {
  const store = storage()
  unbind = bindPreferences(store)
  usePreferences.getState().setSingleKeys(false)
  unbind()
  usePreferences.setState(initial, true)
  unbind = bindPreferences(store)
  usePreferences.getState().adopt({ debug: true, singleKeys: true })
  expect(usePreferences.getState()).toMatchObject({ debug: false, singleKeys: false })
})

test('nothing chosen, what the server has holds, and is not written down as a choice', () => {
  const store = storage()
  unbind = bindPreferences(store)
  usePreferences.getState().adopt({ debug: true })
  expect(usePreferences.getState()).toMatchObject({ debug: true, singleKeys: true })
  expect(store.values.size).toBe(0)
})

test('spoilt or forbidden storage is as none', () => {
  unbind = bindPreferences(storage('{"debug":"yes"}'))
  expect(usePreferences.getState()).toMatchObject({ debug: false, singleKeys: true })
  unbind()
  const refuse = () => {
    throw new Error('forbidden')
  }
  unbind = bindPreferences({ getItem: refuse, setItem: refuse })
  usePreferences.getState().setDebug(true)
  expect(usePreferences.getState().debug).toBe(true)
})
