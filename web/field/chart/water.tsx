import { memo } from 'react'
import type { Band } from '../engine/layout.ts'
import { contourX, wordsX } from '../engine/scale.ts'
import { contourPath, depthOf } from '../engine/wave.ts'
import styles from '../field.module.css'

/**
 * The still water below everything: today the shallow, pale surface on the right, each older day a tone deeper behind
 * its contour. Drawn in world pixels from `originX`; its transform is the camera's.
 */
export const Water = memo(function Water({
  bands,
  pitch,
  originX,
  height,
}: {
  bands: readonly { band: Band; index: number; count: number }[]
  pitch: number
  originX: number
  height: number
}) {
  const bottom = height + 20
  const newestFirst = [...bands].reverse()
  return (
    <svg className={styles.water} aria-hidden="true" focusable="false">
      {newestFirst.map(({ band, index, count }) => {
        const next = band.start + band.slots
        const edge = edgeX(next, pitch) - originX
        const depth = depthOf(index, count)
        if (index === count - 1) return null
        return (
          <path
            key={band.day}
            d={`${contourPath(edge, band.day + 1, -20, bottom)}V${bottom + 100}H-100000V-20Z`}
            fill={`var(--water-${depth})`}
            stroke="var(--contour)"
          />
        )
      })}
    </svg>
  )
})

/** Where a band begins, in world pixels. */
export function edgeX(start: number, pitch: number): number {
  return start * pitch + wordsX + contourX
}
