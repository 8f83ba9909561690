import { describe, expect, it } from 'vitest'
import { layoutField } from './layout.ts'
import { spatialIndex } from './spatial-index.ts'

/**
 * Thread 0: a, b, c in a row and d branching from a. Thread 1: e, f.
 *
 *     a b c
 *     . . . d
 *     e f
 */
function setup() {
  const layout = layoutField(
    {
      ids: ['a', 'b', 'c', 'd', 'e', 'f'],
      threads: [0, 0, 0, 0, 1, 1],
      parents: [-1, 0, 1, 0, -1, 4],
      createdAt: [1, 2, 3, 4, 5, 6],
      threadOrder: [0, 1],
    },
    { timeZone: 'UTC', nowMs: 6 },
  )
  const index = spatialIndex(layout)
  const name = (prompt: number) => layout.ids[prompt] ?? 'none'
  const from = (id: string) => layout.ids.indexOf(id)
  return { index, name, from }
}

describe('spatialIndex', () => {
  it('finds what a rectangle touches, edges included, row by row', () => {
    const { index, name } = setup()
    expect(index.visible({ left: 1, top: 0, right: 3, bottom: 1 }).map(name)).toEqual(['b', 'c', 'd'])
    expect(index.visible({ left: -9, top: -9, right: 99, bottom: 99 })).toHaveLength(6)
    expect(index.visible({ left: 1.1, top: 0.2, right: 1.9, bottom: 9 })).toEqual([])
  })

  it('names the drop at a place, or none', () => {
    const { index, name } = setup()
    expect(name(index.at(3, 1))).toBe('d')
    expect(name(index.at(0, 1))).toBe('none')
    expect(name(index.at(0, 9))).toBe('none')
  })

  it('follows the thread left and right, and time where the thread ends', () => {
    const { index, name, from } = setup()
    expect(name(index.neighbour(from('a'), 'right'))).toBe('b')
    expect(name(index.neighbour(from('c'), 'right'))).toBe('d')
    expect(name(index.neighbour(from('d'), 'left'))).toBe('a')
    expect(name(index.neighbour(from('d'), 'right'))).toBe('none')
    expect(name(index.neighbour(from('e'), 'left'))).toBe('none')
  })

  it('goes to the neighbouring row at the nearest time', () => {
    const { index, name, from } = setup()
    expect(name(index.neighbour(from('b'), 'down'))).toBe('d')
    expect(name(index.neighbour(from('d'), 'up'))).toBe('c')
    expect(name(index.neighbour(from('d'), 'down'))).toBe('f')
    expect(name(index.neighbour(from('f'), 'down'))).toBe('none')
    expect(name(index.neighbour(from('a'), 'up'))).toBe('none')
  })

  it('reaches every drop by arrow keys', () => {
    const { index } = setup()
    const reached = new Set([0])
    for (const prompt of reached) {
      for (const direction of ['left', 'right', 'up', 'down'] as const) {
        const next = index.neighbour(prompt, direction)
        if (next >= 0) reached.add(next)
      }
    }
    expect(reached.size).toBe(6)
  })
})
