import {
  type Camera,
  clampCamera,
  noInsets,
  nowCamera,
  panBy,
  reveal,
  type ScreenPoint,
  type Space,
  type WorldPoint,
  zoomAbout,
} from '../engine/camera.ts'
import { zoomOfLevel } from '../engine/scale.ts'
import { startTravel, type Travel, travelAt } from '../engine/travel.ts'

/** How far middle may be drawn in and out; between these titles stay readable and side by side. */
const zoomMin = 0.72
const zoomMax = 1.45

/**
 * The camera of one field. It moves outside React: whoever draws is told once a frame, and what stands where is asked
 * for only when a whole column or row came into view. Travels are interrupted by any input.
 */
export interface FieldCamera {
  camera(): Camera
  space(): Space
  /**
   * Takes over the size of field and view. Before the first input the camera stays at *now*, with `home`, the newest
   * prompt, in view.
   */
  setSpace(space: Space, home: WorldPoint | null): void
  pan(dx: number, dy: number): void
  zoomAt(factor: number, point: ScreenPoint): void
  travelTo(camera: Camera): void
  /** At once, such as when the layout moved what a person looks at. */
  put(camera: Camera): void
  goToNow(): void
  /** Told at most once a frame. @returns the way to stop */
  subscribe(listener: () => void): () => void
  stop(): void
}

/** What a camera needs of its page: frames, their clock, and whether its reader wants no movement. */
export interface CameraPage {
  requestAnimationFrame(draw: (nowMs: number) => void): number
  cancelAnimationFrame(frame: number): void
  matchMedia(query: string): { readonly matches: boolean }
  readonly performance: { now(): number }
}

export function createFieldCamera(page: CameraPage): FieldCamera {
  let space: Space = { width: 0, height: 0, viewWidth: 1, viewHeight: 1, insets: noInsets, form: 'desk' }
  let camera: Camera = nowCamera(zoomOfLevel.middle, space)
  let travel: Travel | null = null
  let frame: number | null = null
  let untouched = true
  const listeners = new Set<() => void>()

  const draw = (nowMs: number): void => {
    frame = null
    if (travel) {
      const step = travelAt(travel, nowMs, space)
      camera = step.camera
      if (step.arrived) travel = null
      else request()
    }
    for (const listener of [...listeners]) listener()
  }
  const request = (): void => {
    frame ??= page.requestAnimationFrame(draw)
  }
  const move = (next: Camera): void => {
    travel = null
    untouched = false
    if (next === camera) return
    camera = next
    request()
  }
  const isStill = (): boolean => page.matchMedia('(prefers-reduced-motion: reduce)').matches

  return {
    camera: () => camera,
    space: () => space,
    setSpace(next, home) {
      space = next
      const now = nowCamera(camera.zoom, space)
      if (!untouched) camera = clampCamera(camera, space)
      else camera = home === null ? now : reveal(now, home, space)
      request()
    },
    pan: (dx, dy) => move(panBy(camera, dx, dy, space)),
    zoomAt(factor, point) {
      const zoom = Math.min(zoomMax, Math.max(zoomMin, camera.zoom + factor))
      move(zoomAbout(camera, zoom, point, space))
    },
    travelTo(to) {
      if (to === camera) return
      untouched = false
      travel = startTravel(camera, to, page.performance.now(), space, isStill())
      request()
    },
    put: move,
    goToNow() {
      this.travelTo(nowCamera(zoomOfLevel.middle, space))
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    stop() {
      if (frame !== null) page.cancelAnimationFrame(frame)
      frame = null
    },
  }
}
