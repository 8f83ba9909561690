import type { Rect } from './camera.ts'
import type { Layout } from './layout.ts'

export type Direction = 'left' | 'right' | 'up' | 'down'

/** Finds what stands where. Built once for a layout; every question costs no more than the rows it touches. */
export type SpatialIndex = {
  /** Prompts within the rectangle, its edges included; row by row, each in order of time. */
  visible(rect: Rect): number[]
  /** The prompt at a whole column and row, −1 for water. */
  at(column: number, row: number): number
  /**
   * The next prompt for an arrow key, −1 at the end of the field. Left and right follow the thread: the
   * parent, the first child, else the neighbour in time within the lane. Up and down go to the neighbouring
   * row, be it a branch or the next thread, at the nearest time; so every drop can be reached.
   */
  neighbour(prompt: number, direction: Direction): number
}

export function spatialIndex(layout: Layout): SpatialIndex {
  const { column, row, lane, lanes, parent, height } = layout
  const inRow: number[][] = Array.from({ length: height }, () => [])
  const firstChild = new Int32Array(column.length).fill(-1)
  const placeInLane = new Int32Array(column.length)
  for (const { prompts } of lanes) {
    prompts.forEach((prompt, place) => {
      inRow[row[prompt] ?? 0]?.push(prompt)
      placeInLane[prompt] = place
      const from = parent[prompt] ?? -1
      if (from >= 0 && firstChild[from] === -1) firstChild[from] = prompt
    })
  }
  const columnOf = (prompt: number | undefined) =>
    prompt === undefined ? Number.NaN : (column[prompt] ?? Number.NaN)

  /** Where in a row the first prompt at or right of a column is. */
  const firstFrom = (prompts: readonly number[], wanted: number) => {
    let low = 0
    let high = prompts.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (columnOf(prompts[middle]) < wanted) low = middle + 1
      else high = middle
    }
    return low
  }

  const nearestInRow = (wantedRow: number, wanted: number) => {
    const prompts = inRow[wantedRow] ?? []
    const next = firstFrom(prompts, wanted)
    const after = prompts[next]
    const before = prompts[next - 1]
    if (before === undefined) return after ?? -1
    if (after === undefined) return before
    return wanted - columnOf(before) < columnOf(after) - wanted ? before : after
  }

  const inTime = (prompt: number, step: 1 | -1) =>
    lanes[lane[prompt] ?? -1]?.prompts[(placeInLane[prompt] ?? 0) + step] ?? -1

  return {
    visible(rect) {
      const found: number[] = []
      const lastRow = Math.min(height - 1, Math.floor(rect.bottom))
      for (let at = Math.max(0, Math.ceil(rect.top)); at <= lastRow; at += 1) {
        const prompts = inRow[at] ?? []
        for (let next = firstFrom(prompts, rect.left); next < prompts.length; next += 1) {
          const prompt = prompts[next]
          if (prompt === undefined || columnOf(prompt) > rect.right) break
          found.push(prompt)
        }
      }
      return found
    },
    at(wantedColumn, wantedRow) {
      const prompts = inRow[wantedRow] ?? []
      const prompt = prompts[firstFrom(prompts, wantedColumn)]
      return prompt !== undefined && columnOf(prompt) === wantedColumn ? prompt : -1
    },
    neighbour(prompt, direction) {
      switch (direction) {
        case 'left': {
          const from = parent[prompt] ?? -1
          return from >= 0 ? from : inTime(prompt, -1)
        }
        case 'right': {
          const child = firstChild[prompt] ?? -1
          return child >= 0 ? child : inTime(prompt, 1)
        }
        case 'up':
          return nearestInRow((row[prompt] ?? 0) - 1, columnOf(prompt))
        case 'down':
          return nearestInRow((row[prompt] ?? 0) + 1, columnOf(prompt))
      }
    },
  }
}
