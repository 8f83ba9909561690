import { discX, type Form, gutterWidth, metricsAt } from './scale.ts'

/** World units: whole numbers are columns and rows. */
export type WorldPoint = { readonly column: number; readonly row: number }
export type ScreenPoint = { readonly x: number; readonly y: number }
export type Rect = {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}
/** Pixels that something else covers at each side: a panel, the compose box. */
export type Insets = {
  readonly top: number
  readonly right: number
  readonly bottom: number
  readonly left: number
}

/** `x` and `y` are the column and row at the view's top left corner; `zoom` as in `scale.ts`. */
export type Camera = { readonly x: number; readonly y: number; readonly zoom: number }

/** What the camera looks at and through: the field's size in columns and rows, the view's in pixels. */
export type Space = {
  readonly width: number
  readonly height: number
  readonly viewWidth: number
  readonly viewHeight: number
  readonly insets: Insets
  readonly form: Form
}

export const noInsets: Insets = { top: 0, right: 0, bottom: 0, left: 0 }

/** The camera at *now*: the newest band's end near the right edge, open water beyond it, the first lane on top. */
export function nowCamera(zoom: number, space: Space): Camera {
  const { top, rowHeight } = metricsAt(zoom, space.form)
  return { x: nowX(zoom, space), y: -top / rowHeight, zoom }
}

/** The same lanes as before, at *now*. */
export function returnToNow(camera: Camera, space: Space): Camera {
  return { ...camera, x: nowX(camera.zoom, space) }
}

/** Moves the view by pixels: positive `dx` shows what is further right. */
export function panBy(camera: Camera, dx: number, dy: number, space: Space): Camera {
  const { pitch, rowHeight } = metricsAt(camera.zoom, space.form)
  return clampCamera({ ...camera, x: camera.x + dx / pitch, y: camera.y + dy / rowHeight }, space)
}

/** Zooms so that what is under `point` stays under it. */
export function zoomAbout(camera: Camera, zoom: number, point: ScreenPoint, space: Space): Camera {
  const bounded = Math.min(2, Math.max(0, zoom))
  const world = toWorld(camera, point, space.form)
  const { pitch, rowHeight } = metricsAt(bounded, space.form)
  const x = world.column - (point.x - discX) / pitch
  return clampCamera({ x, y: world.row - point.y / rowHeight, zoom: bounded }, space)
}

/**
 * Keeps the field in sight: never above its first lane nor below its last, never left of its first day, and
 * at most half a view into the open water on the right.
 */
export function clampCamera(camera: Camera, space: Space): Camera {
  const { pitch, rowHeight, top } = metricsAt(camera.zoom, space.form)
  const free = space.viewWidth - space.insets.left - space.insets.right
  const now = nowX(camera.zoom, space)
  const leftEdge = space.insets.left + (space.form === 'desk' ? gutterWidth : 0)
  const leftmost = Math.min(now, -leftEdge / pitch)
  const rightmost = now + Math.max(0, free / 2) / pitch
  const highest = -top / rowHeight
  const lowest = space.height - (space.viewHeight - space.insets.bottom - bottomWater) / rowHeight
  const x = Math.min(rightmost, Math.max(leftmost, camera.x))
  const y = Math.max(highest, Math.min(Math.max(highest, lowest), camera.y))
  return x === camera.x && y === camera.y ? camera : { ...camera, x, y }
}

/** Where a world point is drawn: for a drop, the centre of its disc. */
export function toScreen(camera: Camera, point: WorldPoint, form: Form): ScreenPoint {
  const { pitch, rowHeight } = metricsAt(camera.zoom, form)
  return { x: (point.column - camera.x) * pitch + discX, y: (point.row - camera.y) * rowHeight }
}

export function toWorld(camera: Camera, point: ScreenPoint, form: Form): WorldPoint {
  const { pitch, rowHeight } = metricsAt(camera.zoom, form)
  return { column: (point.x - discX) / pitch + camera.x, row: point.y / rowHeight + camera.y }
}

/** The one transform that moves the world, in whole pixels so that text stays sharp. */
export function worldOffset(camera: Camera, form: Form): ScreenPoint {
  const { pitch, rowHeight } = metricsAt(camera.zoom, form)
  return { x: Math.round(-camera.x * pitch) || 0, y: Math.round(-camera.y * rowHeight) || 0 }
}

/** What is in view, in world units, with `margin` columns and rows more at every side. */
export function visibleRect(camera: Camera, space: Space, margin = 1): Rect {
  const { pitch, rowHeight } = metricsAt(camera.zoom, space.form)
  return {
    left: camera.x - margin,
    top: camera.y - margin,
    right: camera.x + space.viewWidth / pitch + margin,
    bottom: camera.y + space.viewHeight / rowHeight + margin,
  }
}

/**
 * The nearest camera that shows a drop whole within the part that nothing covers; the same object if it is
 * there already. Only the way that is needed: what a person looks at moves as little as possible.
 */
export function reveal(camera: Camera, point: WorldPoint, space: Space): Camera {
  const { pitch, rowHeight } = metricsAt(camera.zoom, space.form)
  const at = toScreen(camera, point, space.form)
  const gutter = space.form === 'desk' && camera.zoom <= 1.5 ? gutterWidth : 0
  const left = space.insets.left + gutter + dropRoom.left
  const right = space.viewWidth - space.insets.right - Math.min(pitch, dropRoom.right)
  const top = Math.max(space.insets.top, barHeight) + dropRoom.top
  const bottom = space.viewHeight - space.insets.bottom - Math.min(rowHeight, dropRoom.bottom)
  const dx = at.x > right ? Math.min(at.x - right, at.x - left) : at.x < left ? at.x - left : 0
  const dy = at.y > bottom ? Math.min(at.y - bottom, at.y - top) : at.y < top ? at.y - top : 0
  return dx === 0 && dy === 0 ? camera : panBy(camera, dx, dy, space)
}

/** Puts a drop into the middle of the part that nothing covers. */
export function centreOn(camera: Camera, point: WorldPoint, space: Space): Camera {
  const at = toScreen(camera, point, space.form)
  const { insets } = space
  const x = (insets.left + space.viewWidth - insets.right) / 2
  const y = (Math.max(insets.top, barHeight) + space.viewHeight - insets.bottom) / 2
  return panBy(camera, at.x - x, at.y - y, space)
}

/** Follows something that the layout moved, so that it stays where it was on screen. */
export function holdInPlace(camera: Camera, before: WorldPoint, after: WorldPoint): Camera {
  if (before.column === after.column && before.row === after.row) return camera
  return { ...camera, x: camera.x + after.column - before.column, y: camera.y + after.row - before.row }
}

/** Room that a drop takes about its disc's centre at middle: the halo, and the words right of it and below. */
const dropRoom = { left: 28, right: 160, top: 40, bottom: 84 }
const barHeight = 56
const bottomWater = 24

function nowX(zoom: number, space: Space): number {
  const { pitch, nowInset } = metricsAt(zoom, space.form)
  return space.width - (space.viewWidth - space.insets.right - nowInset) / pitch
}
