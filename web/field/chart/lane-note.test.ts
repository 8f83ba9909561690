import { describe, expect, it } from 'vitest'
import type { JobState } from '../../../shared/job.ts'
import { fieldFlags } from '../../../shared/observe.ts'
import { laneNote } from './lane-note.ts'

const rows = (states: readonly JobState[], flags = 0) => {
  const ids = states.map((_, index) => `p${index}`)
  const byId = new Map(
    ids.map((id, index) => [id, { state: states[index] ?? 'queued', flags, revision: 1, batchId: null }]),
  )
  return { ids, states: { get: (id: string) => byId.get(id) } }
}

describe('a lane says the one thing that matters most', () => {
  it.each<[JobState[], string | null, string | null]>([
    [['succeeded', 'running', 'queued', 'failed'], '1 answering', 'alive'],
    [['queued', 'queued', 'failed'], '2 waiting', 'wait'],
    [['failed', 'succeeded'], '1 failed', 'salmon'],
    [['succeeded', 'cancelled'], null, null],
  ])('%j: %s', (states, text, tone) => {
    const lane = rows(states)
    const note = laneNote(lane.ids, lane.states)
    expect(note.count).toBe(states.length)
    expect(note.live).toEqual(text === null ? null : { text, tone })
  })

  it('names practice only when all of it is', () => {
    const all = rows(['succeeded', 'cancelled'], fieldFlags.practice)
    expect(laneNote(all.ids, all.states).live).toEqual({ text: 'practice', tone: 'plain' })
  })
})
