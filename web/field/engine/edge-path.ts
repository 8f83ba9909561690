import type { WorldPoint } from './camera.ts'
import type { Edge } from './edges.ts'
import type { Layout } from './layout.ts'
import { discX, type Scale } from './scale.ts'

/** Where a drop's disc has its centre, in pixels from `origin` (a whole column and row, to keep numbers small). */
export function discCentre(
  layout: Pick<Layout, 'column' | 'row'>,
  prompt: number,
  scale: Scale,
  origin: WorldPoint = { column: 0, row: 0 },
): { x: number; y: number } {
  return {
    x: ((layout.column[prompt] ?? 0) - origin.column) * scale.pitch + discX,
    y: ((layout.row[prompt] ?? 0) - origin.row) * scale.rowHeight,
  }
}

/** The line of a `continues` edge as an SVG path. */
export function edgePath(layout: Layout, edge: Edge, scale: Scale, origin?: WorldPoint): string {
  const a = discCentre(layout, edge.from, scale, origin)
  const b = discCentre(layout, edge.to, scale, origin)
  const end = round(b.x - beforeDisc)
  if (edge.shape === 'row') return `M${round(a.x + afterDisc)} ${a.y}H${end}`
  if (edge.shape === 'detour') return linkPath(layout, edge.from, edge.to, scale, origin)
  const gap = round(a.x + scale.pitch - gapBack(scale))
  const start = edge.stem ? `M${round(a.x + afterDisc)} ${a.y}H${gap - curve}` : `M${gap - curve} ${a.y}`
  const down = b.y > a.y ? 1 : -1
  return (
    `${start}C${gap + 6} ${a.y} ${gap} ${a.y + curve * down} ${gap} ${(a.y + b.y) / 2}` +
    `S${gap - 2} ${b.y} ${gap + 22} ${b.y}H${end}`
  )
}

/**
 * A line between any two drops, for *after*, and for a chain that has to pass others: it leaves to the right,
 * goes along the gap between columns, then above the row of the second, and comes down to it. Never across text.
 */
export function linkPath(
  layout: Pick<Layout, 'column' | 'row'>,
  from: number,
  to: number,
  scale: Scale,
  origin?: WorldPoint,
): string {
  const a = discCentre(layout, from, scale, origin)
  const b = discCentre(layout, to, scale, origin)
  if (a.y === b.y && b.x > a.x && (layout.column[to] ?? 0) - (layout.column[from] ?? 0) === 1)
    return `M${round(a.x + afterDisc)} ${a.y}H${round(b.x - beforeDisc)}`
  const leave = round(a.x + scale.pitch - gapBack(scale))
  const arrive = round(b.x - beforeColumn)
  const corridor = b.y - aboveRow
  const start = `M${round(a.x + afterDisc)} ${a.y}H${leave - corner}`
  const end = `V${b.y - corner}Q${arrive} ${b.y} ${arrive + corner / 2} ${b.y}H${round(b.x - beforeDisc)}`
  const turn = corridor > a.y ? 1 : -1
  const first = `Q${leave} ${a.y} ${leave} ${a.y + corner * turn}V${corridor - corner * turn}`
  if (Math.abs(arrive - leave) < corner * 2) return `${start}${first}L${arrive} ${corridor + corner}${end}`
  const way = arrive > leave ? 1 : -1
  return (
    `${start}${first}Q${leave} ${corridor} ${leave + corner * way} ${corridor}` +
    `H${arrive - corner * way}Q${arrive} ${corridor} ${arrive} ${corridor + corner}${end}`
  )
}

/**
 * The line from a promoted answer to a prompt that it grounds, usually of another thread: up or down out of
 * the disc, along the gap between rows, then through the gap between columns into the other.
 */
export function groundsPath(
  layout: Pick<Layout, 'column' | 'row'>,
  from: number,
  to: number,
  scale: Scale,
  origin?: WorldPoint,
): string {
  const a = discCentre(layout, from, scale, origin)
  const b = discCentre(layout, to, scale, origin)
  const corridor = a.y - aboveRow
  const x = round(b.x - beforeColumn)
  const rightwards = x > a.x
  const downwards = b.y >= a.y
  const bend = rightwards ? corner : -corner
  const out = round(a.x - 2)
  const enter = downwards ? -26 : 26
  const near = downwards ? -14 : 14
  return (
    `M${out} ${a.y - 13}V${corridor + corner}Q${out} ${corridor} ${out + bend} ${corridor}H${x - bend}` +
    `Q${x} ${corridor} ${x} ${corridor + (downwards ? corner : -corner)}` +
    `V${b.y + enter}Q${x} ${b.y + near} ${x + 6} ${b.y + (downwards ? -9 : 9)}`
  )
}

/** Lines keep this distance from the centre of the disc that they leave and reach. */
const afterDisc = 12
const beforeDisc = 16
const curve = 16
const corner = 12
const aboveRow = 24
const beforeColumn = 19

/** How far left of the next column's disc the gap between columns is; cards stand closer than titles. */
function gapBack({ pitch }: Scale): number {
  return pitch > 300 ? 26 : 21
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
