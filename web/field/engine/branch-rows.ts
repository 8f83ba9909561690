/**
 * Gives each prompt of one lane its row within the lane, and returns how many rows the lane has.
 *
 * The first child of a drop stays in its row. Each later child takes the first row below in which nothing
 * stands to the right of its parent, so that the line which brings it there crosses no drop. Decided in the
 * order of time and never again: a newer prompt cannot change what was decided for an older one.
 *
 * @param prompts indices of the lane's prompts, in order of time
 * @param parent index of each prompt's parent in the lane, −1 for none
 * @param row receives the rows, counted from 0
 */
export function branchRows(prompts: readonly number[], parent: ArrayLike<number>, row: Int32Array): number {
  const rank = new Map<number, number>()
  const continued = new Set<number>()
  const newestRankInRow: number[] = []
  prompts.forEach((index, at) => {
    const from = parent[index] ?? -1
    const fromRank = rank.get(from)
    let place = 0
    if (fromRank !== undefined) {
      place = row[from] ?? 0
      if (continued.has(from)) {
        place += 1
        while ((newestRankInRow[place] ?? -1) > fromRank) place += 1
      }
      continued.add(from)
    }
    row[index] = place
    rank.set(index, at)
    newestRankInRow[place] = at
  })
  return newestRankInRow.length
}
