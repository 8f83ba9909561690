import { expect, test } from 'vitest'
import { idOf, makeView } from '../testing/make-view.ts'
import { fieldOf } from '../testing/scripted-server.ts'
import { createPromptStates } from './prompt-states.ts'

// R007
test('counts follow the rows, and are alike however the rows came', () => {
  const rows = [
    makeView(1),
    makeView(2),
    makeView(3, { state: 'running' }),
    makeView(4, { state: 'failed' }),
    makeView(5, { state: 'succeeded' }),
    makeView(6, { state: 'succeeded', seen: true }),
  ]
  const expected = { atWork: 1, waiting: 2, failed: 1, unseen: 1, total: 6 }
  const byColumns = createPromptStates()
  byColumns.merge(fieldOf(rows))
  expect(byColumns.counts()).toEqual(expected)
  const byViews = createPromptStates()
  for (const row of [...rows, ...rows]) byViews.put(row)
  expect(byViews.counts()).toEqual(expected)

  byViews.put(makeView(1, { state: 'running', revision: 2 }))
  byViews.remove(idOf(4))
  expect(byViews.counts()).toEqual({ atWork: 2, waiting: 1, failed: 0, unseen: 1, total: 5 })
  expect([...byViews.active()]).toEqual([idOf(1), idOf(2), idOf(3)])
})

test('what is only on its way counts for nothing that the server has', () => {
  const states = createPromptStates()
  states.put(makeView(1, { revision: -1 }))
  expect(states.counts()).toMatchObject({ waiting: 0, total: 0 })
  states.put(makeView(1))
  expect(states.counts()).toMatchObject({ waiting: 1, total: 1 })
})

test('columns do not take a row back to an older revision', () => {
  const states = createPromptStates()
  states.put(makeView(1, { state: 'succeeded', revision: 5 }))
  states.merge(fieldOf([makeView(1, { revision: 4, state: 'running' })]))
  expect(states.get(idOf(1))?.state).toBe('succeeded')
})

test('listeners are told once for many changes, and not for none', () => {
  const states = createPromptStates()
  let told = 0
  states.subscribe(() => told++)
  states.put(makeView(1))
  states.put(makeView(2))
  states.flush()
  states.put(makeView(2))
  states.flush()
  expect(told).toBe(1)
})
