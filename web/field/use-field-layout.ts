import { useMemo, useRef } from 'react'
import { useReading } from '../session/use-reading.ts'
import { useLayout } from '../sync/hooks.ts'
import type { LayoutSnapshot } from '../sync/layout-index.ts'
import { type EdgeIndex, edgeIndex } from './engine/edges.ts'
import { type Layout, layoutField } from './engine/layout.ts'
import { type SpatialIndex, spatialIndex } from './engine/spatial-index.ts'
import { zoneDays } from './engine/zone-day.ts'

/** The field laid out, with what finds things in it. A new object only when a prompt came or went, or a day did. */
export interface FieldLayout {
  readonly snapshot: LayoutSnapshot
  readonly layout: Layout
  readonly index: SpatialIndex
  readonly edges: EdgeIndex
  readonly indexOf: ReadonlyMap<string, number>
}

const minuteMs = 60_000

export function useFieldLayout(): FieldLayout {
  const snapshot = useLayout()
  const { timeZone, nowMs } = useReading(minuteMs)
  const today = useMemo(() => zoneDays(timeZone), [timeZone])(nowMs)
  const day = useRef({ today, nowMs })
  // Only the day matters to the layout: the first moment that was read of it stands for all of it.
  if (day.current.today !== today) day.current = { today, nowMs }
  const readMs = day.current.nowMs
  return useMemo(() => layOut(snapshot, timeZone, readMs), [snapshot, timeZone, readMs])
}

function layOut(snapshot: LayoutSnapshot, timeZone: string, nowMs: number): FieldLayout {
  const layout = layoutField(snapshot, { timeZone, nowMs })
  return {
    snapshot,
    layout,
    index: spatialIndex(layout),
    edges: edgeIndex(layout),
    indexOf: new Map(layout.ids.map((id, index) => [id, index])),
  }
}
