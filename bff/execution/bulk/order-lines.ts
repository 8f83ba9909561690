/**
 * The lines of a request in an order in which each comes after those it needs, otherwise as they were sent; `needs[i]`
 * are the lines that line `i` names. Lines in one group need one another: a group of more than one, or of one that needs
 * itself, is a circle and can never run.
 *
 * Tarjan's strongly connected components, which it finds with what is needed first.
 */
export function orderLines(needs: readonly (readonly number[])[]): number[][] {
  const groups: number[][] = []
  const foundAt = new Map<number, number>()
  const lowest = new Map<number, number>()
  const open: number[] = []
  const isOpen = new Set<number>()
  const low = (line: number) => lowest.get(line) ?? line

  const visit = (line: number): void => {
    const found = foundAt.size
    foundAt.set(line, found)
    lowest.set(line, found)
    open.push(line)
    isOpen.add(line)
    for (const needed of needs[line] ?? []) {
      if (!foundAt.has(needed)) {
        visit(needed)
        lowest.set(line, Math.min(low(line), low(needed)))
      } else if (isOpen.has(needed)) {
        lowest.set(line, Math.min(low(line), foundAt.get(needed) ?? found))
      }
    }
    if (low(line) !== found) return
    const group = open.splice(open.lastIndexOf(line))
    for (const one of group) isOpen.delete(one)
    groups.push(group.sort((a, b) => a - b))
  }

  needs.forEach((_, line) => {
    if (!foundAt.has(line)) visit(line)
  })
  return groups
}
