import { type Camera, clampCamera, type Space } from './camera.ts'
import { discX, metricsAt } from './scale.ts'

/** A movement of the camera by key, beacon or link. Plain data: whoever draws asks where it is by now. */
export type Travel = {
  readonly from: Camera
  readonly to: Camera
  readonly startMs: number
  readonly durationMs: number
}

/**
 * Begins a travel: 320 ms, up to 480 for ways longer than a view. With reduced motion it takes no time at
 * all. Any input interrupts it: drop the travel and go on from the camera that was drawn last.
 */
export function startTravel(
  from: Camera,
  to: Camera,
  startMs: number,
  space: Space,
  reducedMotion = false,
): Travel {
  const { pitch, rowHeight } = metricsAt(to.zoom, space.form)
  const views = Math.hypot(
    ((to.x - from.x) * pitch) / Math.max(1, space.viewWidth),
    ((to.y - from.y) * rowHeight) / Math.max(1, space.viewHeight),
  )
  const durationMs = reducedMotion ? 0 : Math.min(longestMs, Math.max(usualMs, usualMs * (0.75 + views / 4)))
  return { from, to, startMs, durationMs }
}

/** The camera at a moment of a travel, and whether it has arrived. */
export function travelAt(travel: Travel, nowMs: number, space: Space): { camera: Camera; arrived: boolean } {
  const elapsed = nowMs - travel.startMs
  if (elapsed >= travel.durationMs) return { camera: travel.to, arrived: true }
  const part = ease(Math.max(0, elapsed / travel.durationMs))
  return { camera: between(travel.from, travel.to, part, space), arrived: false }
}

/** Milliseconds that rows take to move apart when a lane gains one. */
export const rowShiftMs = 240

const usualMs = 320
const longestMs = 480

/** Goes by the centre of the view, so that a change of zoom on the way does not swing the field sideways. */
function between(from: Camera, to: Camera, part: number, space: Space): Camera {
  const zoom = from.zoom + (to.zoom - from.zoom) * part
  const start = centreOf(from, space)
  const end = centreOf(to, space)
  const { pitch, rowHeight } = metricsAt(zoom, space.form)
  const column = start.column + (end.column - start.column) * part
  const row = start.row + (end.row - start.row) * part
  const camera = {
    x: column - (space.viewWidth / 2 - discX) / pitch,
    y: row - space.viewHeight / 2 / rowHeight,
    zoom,
  }
  return from.zoom === to.zoom ? camera : clampCamera(camera, space)
}

function centreOf(camera: Camera, space: Space): { column: number; row: number } {
  const { pitch, rowHeight } = metricsAt(camera.zoom, space.form)
  return {
    column: camera.x + (space.viewWidth / 2 - discX) / pitch,
    row: camera.y + space.viewHeight / 2 / rowHeight,
  }
}

/** The product's one curve, cubic-bezier(.22, .7, .24, 1), so that camera and panels move alike. */
export function ease(part: number): number {
  if (part <= 0) return 0
  if (part >= 1) return 1
  let low = 0
  let high = 1
  for (let step = 0; step < 24; step += 1) {
    const middle = (low + high) / 2
    if (bezier(middle, 0.22, 0.24) < part) low = middle
    else high = middle
  }
  return bezier((low + high) / 2, 0.7, 1)
}

function bezier(t: number, first: number, second: number): number {
  const rest = 1 - t
  return 3 * rest * rest * t * first + 3 * rest * t * t * second + t * t * t
}
