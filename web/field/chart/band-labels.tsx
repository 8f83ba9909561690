import { useEffect, useRef } from 'react'
import { bandText } from '../../marks/time-text.ts'
import { useReading } from '../../session/use-reading.ts'
import type { FieldCamera } from '../camera/field-camera.ts'
import type { Band } from '../engine/layout.ts'
import { metricsAt } from '../engine/scale.ts'
import styles from '../field.module.css'
import { edgeX } from './water.tsx'

const insetPx = 12
const labelPx = 170

/** The days above their bands; the one at the left edge stays in sight for as long as its band does. */
export function BandLabels({
  bands,
  camera,
  leftPx,
}: {
  bands: readonly Band[]
  camera: FieldCamera
  leftPx: number
}) {
  const reading = useReading(60_000)
  const labels = useRef(new Map<number, HTMLElement>())
  useEffect(() => {
    const place = (): void => {
      const at = camera.camera()
      const { pitch } = metricsAt(at.zoom, camera.space().form)
      for (const band of bands) {
        const label = labels.current.get(band.day)
        if (!label) continue
        const start = edgeX(band.start, pitch) - at.x * pitch
        const end = edgeX(band.start + Math.max(band.slots, 1), pitch) - at.x * pitch
        const x = Math.min(Math.max(start + insetPx, leftPx), Math.max(start + insetPx, end - labelPx))
        label.style.transform = `translateX(${Math.round(x)}px)`
        label.style.visibility = x < leftPx - 8 ? 'hidden' : 'visible'
      }
    }
    place()
    return camera.subscribe(place)
  }, [bands, camera, leftPx])
  return (
    <div className={styles.bands} aria-hidden="true">
      {bands.map((band) => {
        const { head, rest } = bandText(band.day, reading)
        return (
          <div
            key={band.day}
            className={styles.bandLabel}
            ref={(element) => {
              if (element) labels.current.set(band.day, element)
              else labels.current.delete(band.day)
            }}
          >
            <b>{head}</b>
            {rest === null ? null : ` · ${rest}`}
          </div>
        )
      })}
    </div>
  )
}
