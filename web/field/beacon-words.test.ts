import { describe, expect, it } from 'vitest'
import type { JobState } from '../../shared/job.ts'
import { beaconsOf } from './beacon-words.ts'
import { layoutField } from './engine/layout.ts'

const day = Date.UTC(2026, 2, 12, 12)

function fieldOf(states: readonly JobState[]) {
  const ids = states.map((_, index) => `p${index}`)
  const layout = layoutField(
    {
      ids,
      threads: ids.map((_, index) => index),
      parents: ids.map(() => -1),
      createdAt: ids.map((_, index) => day + index),
      threadOrder: ids.map((_, index) => index),
    },
    { timeZone: 'UTC', nowMs: day },
  )
  const get = (id: string) => ({
    state: states[ids.indexOf(id)] ?? 'succeeded',
    flags: 0,
    revision: 1,
    batchId: null,
  })
  return { layout, states: { get } }
}

describe('beacons', () => {
  it('count what lives or failed outside the view, and name one to travel to', () => {
    const { layout, states } = fieldOf(['failed', 'succeeded', 'running', 'queued', 'queued'])
    expect(beaconsOf(layout, { left: -1, right: 5, top: 1, bottom: 1 }, states)).toEqual([
      { side: 'above', text: 'Above: 1 failed', promptId: 'p0' },
      { side: 'below', text: 'Below: 1 answering, 2 waiting', promptId: 'p2' },
    ])
  })

  it('are none while everything that lives is in view', () => {
    const { layout, states } = fieldOf(['running', 'succeeded'])
    expect(beaconsOf(layout, { left: -1, right: 5, top: 0, bottom: 0 }, states)).toEqual([])
  })
})
