import { type RefObject, useEffect } from 'react'
import type { FieldCamera } from './field-camera.ts'

const wheelLinePx = 16
const wheelZoomStep = 0.002
/** A press that moves less than this is a press, not a drag. */
const dragFromPx = 5

/**
 * Pointer, wheel and touch on the water: the wheel pans (Shift sideways), Ctrl or Cmd with it zooms about the pointer,
 * a drag pans, two fingers pinch. A drag that began on a drop pans too; a press without movement stays the drop's own.
 */
export function useFieldInput(
  root: RefObject<HTMLElement | null>,
  camera: FieldCamera,
  onWater: () => void,
): void {
  useEffect(() => {
    const element = root.current
    if (element === null) return
    const fingers = new Map<number, { x: number; y: number }>()
    let moved = 0
    const local = (event: { clientX: number; clientY: number }) => {
      const box = element.getBoundingClientRect()
      return { x: event.clientX - box.left, y: event.clientY - box.top }
    }
    const wheel = (event: WheelEvent): void => {
      event.preventDefault()
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? wheelLinePx : 1
      if (event.ctrlKey || event.metaKey) camera.zoomAt(-event.deltaY * unit * wheelZoomStep, local(event))
      else if (event.shiftKey && event.deltaX === 0) camera.pan(event.deltaY * unit, 0)
      else camera.pan(event.deltaX * unit, event.deltaY * unit)
    }
    const down = (event: PointerEvent): void => {
      if (event.pointerType === 'mouse' && event.button !== 0) return
      if (fingers.size === 0) moved = 0
      fingers.set(event.pointerId, local(event))
    }
    const move = (event: PointerEvent): void => {
      const from = fingers.get(event.pointerId)
      if (from === undefined) return
      const to = local(event)
      moved += Math.hypot(to.x - from.x, to.y - from.y)
      if (moved < dragFromPx) return
      if (!element.hasPointerCapture(event.pointerId)) element.setPointerCapture(event.pointerId)
      const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1]
      if (other) {
        const grown = Math.log2(
          Math.hypot(to.x - other.x, to.y - other.y) / Math.hypot(from.x - other.x, from.y - other.y),
        )
        camera.zoomAt(Number.isFinite(grown) ? grown : 0, {
          x: (to.x + other.x) / 2,
          y: (to.y + other.y) / 2,
        })
        camera.pan((from.x - to.x) / 2, (from.y - to.y) / 2)
      } else camera.pan(from.x - to.x, from.y - to.y)
      fingers.set(event.pointerId, to)
    }
    const up = (event: PointerEvent): void => {
      fingers.delete(event.pointerId)
    }
    // After a drag the browser still sends a click; it belongs to the drag, not to the drop below it.
    const click = (event: MouseEvent): void => {
      if (moved >= dragFromPx) {
        event.stopPropagation()
        event.preventDefault()
        moved = 0
      } else if (event.target instanceof Element && !event.target.closest('li, button')) onWater()
    }
    element.addEventListener('wheel', wheel, { passive: false })
    element.addEventListener('pointerdown', down)
    element.addEventListener('pointermove', move)
    element.addEventListener('pointerup', up)
    element.addEventListener('pointercancel', up)
    element.addEventListener('click', click, true)
    return () => {
      element.removeEventListener('wheel', wheel)
      element.removeEventListener('pointerdown', down)
      element.removeEventListener('pointermove', move)
      element.removeEventListener('pointerup', up)
      element.removeEventListener('pointercancel', up)
      element.removeEventListener('click', click, true)
    }
  }, [root, camera, onWater])
}
