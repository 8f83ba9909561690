import { useCallback, useRef, useSyncExternalStore } from 'react'
import { type Rect, visibleRect } from '../engine/camera.ts'
import type { FieldCamera } from './field-camera.ts'

/** What is in view in whole columns and rows, and the zoom: changes seldom, unlike the camera itself. */
export interface CameraWindow {
  readonly rect: Rect
  readonly zoom: number
}

export function useCameraWindow(camera: FieldCamera): CameraWindow {
  const kept = useRef<CameraWindow | null>(null)
  const read = useCallback((): CameraWindow => {
    const { left, top, right, bottom } = visibleRect(camera.camera(), camera.space())
    const rect = {
      left: Math.floor(left),
      top: Math.floor(top),
      right: Math.ceil(right),
      bottom: Math.ceil(bottom),
    }
    const { zoom } = camera.camera()
    const before = kept.current
    const same = before !== null && before.zoom === zoom && isSameRect(before.rect, rect)
    if (!same) kept.current = { rect, zoom }
    return kept.current ?? { rect, zoom }
  }, [camera])
  return useSyncExternalStore(camera.subscribe, read)
}

function isSameRect(a: Rect, b: Rect): boolean {
  return a.left === b.left && a.top === b.top && a.right === b.right && a.bottom === b.bottom
}
