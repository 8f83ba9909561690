import { IconButton } from '../ui/button.tsx'
import type { FieldCamera } from './camera/field-camera.ts'
import styles from './field.module.css'

const zoomStep = 0.15

/** Zoom for those without a wheel, and the way back to the present. */
export function FieldTools({ camera }: { camera: FieldCamera }) {
  const zoomBy = (step: number): void => {
    const { viewWidth, viewHeight, insets } = camera.space()
    camera.zoomAt(step, { x: (viewWidth - insets.right) / 2, y: viewHeight / 2 })
  }
  return (
    <fieldset className={styles.tools} aria-label="Camera">
      <IconButton icon="minus" label="Zoom out" keyHint="−" onClick={() => zoomBy(-zoomStep)} />
      <IconButton icon="plus" label="Zoom in" keyHint="+" onClick={() => zoomBy(zoomStep)} />
      <IconButton icon="right" label="Go to now" keyHint="N" onClick={() => camera.goToNow()} />
    </fieldset>
  )
}
