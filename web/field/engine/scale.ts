/** Pixels per column and per row. */
export type Scale = { readonly pitch: number; readonly rowHeight: number }
export type Form = 'desk' | 'phone'
export type Level = 'far' | 'middle' | 'near'

/** Zoom as a number: 0 far, 1 middle, 2 near; between them while a pinch or a travel is under way. */
export const zoomOfLevel: Readonly<Record<Level, number>> = { far: 0, middle: 1, near: 2 }

/** `top` is where the first row's discs stand when scrolled up; `nowInset` the open water right of now. */
export type LevelMetrics = Scale & { readonly top: number; readonly nowInset: number }

/** The one table of sizes. Far has a range: the field is fitted between its smallest and this, its largest. */
export const levels: Readonly<Record<Form, Readonly<Record<Level, LevelMetrics>>>> = {
  desk: {
    far: { pitch: 24, rowHeight: 16, top: 86, nowInset: 172 },
    middle: { pitch: 186, rowHeight: 100, top: 106, nowInset: 96 },
    near: { pitch: 330, rowHeight: 250, top: 144, nowInset: 34 },
  },
  phone: {
    far: { pitch: 24, rowHeight: 16, top: 86, nowInset: 4 },
    middle: { pitch: 186, rowHeight: 134, top: 142, nowInset: 4 },
    near: { pitch: 330, rowHeight: 250, top: 144, nowInset: 4 },
  },
}
export const farSmallest: Scale = { pitch: 2.7, rowHeight: 14 }

/** Within a column: where a drop's words begin, and where its disc has its centre, in pixels at every level. */
export const wordsX = 24
export const discX = 32
/** Lane titles stand in a gutter of this width on a desk at middle; a phone has none. */
export const gutterWidth = 200
/** The contour of a band runs this far left of its first column. */
export const contourX = -14

/**
 * Sizes at any zoom. Between two levels they grow by a constant factor per step, so that a pinch feels even;
 * `top` and `nowInset` go along linearly.
 */
export function metricsAt(zoom: number, form: Form): LevelMetrics {
  const table = levels[form]
  const bounded = Math.min(2, Math.max(0, zoom))
  const [from, to] = bounded <= 1 ? [table.far, table.middle] : [table.middle, table.near]
  const part = bounded <= 1 ? bounded : bounded - 1
  const grow = (a: number, b: number) => a * (b / a) ** part
  const slide = (a: number, b: number) => a + (b - a) * part
  return {
    pitch: grow(from.pitch, to.pitch),
    rowHeight: grow(from.rowHeight, to.rowHeight),
    top: slide(from.top, to.top),
    nowInset: slide(from.nowInset, to.nowInset),
  }
}

export function nearestLevel(zoom: number): Level {
  return zoom < 0.5 ? 'far' : zoom < 1.5 ? 'middle' : 'near'
}
