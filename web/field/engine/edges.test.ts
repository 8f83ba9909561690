import { describe, expect, it } from 'vitest'
import { edgePath, groundsPath, linkPath } from './edge-path.ts'
import { edgeIndex } from './edges.ts'
import { layoutField } from './layout.ts'
import { levels } from './scale.ts'

function setup(parents: readonly number[], threads?: readonly number[]) {
  const layout = layoutField(
    {
      ids: parents.map((_, index) => `p${index}`),
      threads: threads ?? parents.map(() => 0),
      parents,
      createdAt: parents.map((_, index) => index),
      threadOrder: [0, 1],
    },
    { timeZone: 'UTC', nowMs: 0 },
  )
  const edges = edgeIndex(layout)
  const path = (at: number) => {
    const edge = edges.all[at]
    if (!edge) throw new Error(`no edge ${at}`)
    return edgePath(layout, edge, levels.desk.middle)
  }
  return { layout, edges, path }
}

describe('edgeIndex', () => {
  it('draws a chain as straight lines from disc to disc', () => {
    const { edges, path } = setup([-1, 0])
    expect(edges.all).toEqual([{ from: 0, to: 1, shape: 'row', stem: false }])
    expect(path(0)).toBe('M44 0H202')
  })

  it('lets a branch leave through the gap between columns and turn into its row', () => {
    const { edges, path } = setup([-1, 0, 0])
    expect(edges.all[1]).toEqual({ from: 0, to: 2, shape: 'branch', stem: false })
    expect(path(1)).toBe('M181 0C203 0 197 16 197 50S195 100 219 100H388')
  })

  it('passes above a branch that came to stand between a drop and its first child', () => {
    const { edges } = setup([-1, 0, 0, 1, 3, 3, 2])
    expect(edges.all.at(-1)).toEqual({ from: 2, to: 6, shape: 'detour', stem: false })
  })

  it('has no line to a parent in another thread', () => {
    expect(setup([-1, 0], [0, 1]).edges.all).toEqual([])
  })

  it('keeps a long line in view while both its ends are out of it', () => {
    const { edges } = setup([-1, 0, 0, 0, 0, 4])
    const between = edges.visible({ left: 0.4, top: 2.6, right: 0.6, bottom: 2.9 })
    expect(between).toContainEqual({ from: 0, to: 4, shape: 'branch', stem: false })
    expect(between).not.toContainEqual(expect.objectContaining({ to: 2 }))
    expect(edges.visible({ left: 9, top: 0, right: 10, bottom: 9 })).toEqual([])
  })
})

describe('paths between any two drops', () => {
  it('are straight between neighbours and stay out of the rows of words otherwise', () => {
    const { layout } = setup([-1, 0, -1, 2], [0, 0, 1, 1])
    expect(linkPath(layout, 0, 1, levels.desk.middle)).toBe('M44 0H202')
    const path = linkPath(layout, 0, 3, levels.desk.middle)
    expect(path).toMatch(/^M44 0H185Q197 0 197 12V64/)
    expect(path).toMatch(/H202$/)
  })

  it('count from a nearby origin, so that numbers stay small far out', () => {
    const { layout } = setup([-1, 0])
    expect(linkPath(layout, 0, 1, levels.desk.middle, { column: 1, row: 0 })).toBe('M-142 0H16')
  })

  it('ground a prompt above and below', () => {
    const { layout } = setup([-1, 0, -1, 2], [0, 0, 1, 1])
    expect(groundsPath(layout, 2, 1, levels.desk.middle)).toBe(
      'M30 87V88Q30 76 42 76H187Q199 76 199 64V26Q199 14 205 9',
    )
    expect(groundsPath(layout, 0, 3, levels.desk.middle)).toMatch(/V74Q199 86 205 91$/)
  })
})
