import type { Rect } from './camera.ts'
import type { Layout } from './layout.ts'

/**
 * One `continues` line within a lane, from a prompt to one that continues it.
 *
 * `row`: straight on. `branch`: leaves the parent's row through the gap between columns and turns into its
 * own. `detour`: the first child stays in its parent's row, but a branch came to stand between them; the line
 * passes above, so that it does not read as a part of that branch.
 */
export type Edge = {
  readonly from: number
  readonly to: number
  readonly shape: 'row' | 'branch' | 'detour'
  /** A branch that no straight line leads up to: it begins at the parent's disc itself. */
  readonly stem: boolean
}

export type EdgeIndex = {
  readonly all: readonly Edge[]
  /** Edges of which any part may be seen in the rectangle, in world units. */
  visible(rect: Rect): Edge[]
}

export function edgeIndex(layout: Layout): EdgeIndex {
  const all = continuesEdges(layout)
  const byRow: Edge[][] = Array.from({ length: layout.height }, () => [])
  for (const edge of all) {
    const [from, to] = rowsOf(layout, edge)
    for (let row = Math.min(from, to); row <= Math.max(from, to); row += 1) byRow[row]?.push(edge)
  }
  return {
    all,
    visible(rect) {
      const found = new Set<Edge>()
      const lastRow = Math.min(layout.height - 1, Math.ceil(rect.bottom))
      for (let row = Math.max(0, Math.floor(rect.top)); row <= lastRow; row += 1) {
        for (const edge of byRow[row] ?? []) if (crosses(layout, edge, rect)) found.add(edge)
      }
      return [...found]
    },
  }
}

function continuesEdges({ lanes, parent, row }: Layout): Edge[] {
  const edges: Edge[] = []
  for (const { prompts } of lanes) {
    const newestInRow = new Map<number, number>()
    const goesOnInRow = new Set<number>()
    for (const to of prompts) {
      const from = parent[to] ?? -1
      const toRow = row[to] ?? 0
      if (from >= 0) {
        if (row[from] !== toRow) {
          edges.push({ from, to, shape: 'branch', stem: !goesOnInRow.has(from) })
        } else {
          const free = newestInRow.get(toRow) === from
          edges.push({ from, to, shape: free ? 'row' : 'detour', stem: false })
          if (free) goesOnInRow.add(from)
        }
      }
      newestInRow.set(toRow, to)
    }
  }
  return edges
}

function rowsOf({ row }: Layout, { from, to }: Edge): readonly [number, number] {
  return [row[from] ?? 0, row[to] ?? 0]
}

function crosses({ column }: Layout, { from, to }: Edge, rect: Rect): boolean {
  const a = column[from] ?? 0
  const b = column[to] ?? 0
  return Math.max(a, b) >= rect.left && Math.min(a, b) <= rect.right
}
