const amplitude = 13
const ripple = 5
const stepPx = 90

/** Where the contour of a band crosses height `y`; `seed` is the band's day, so that a day keeps its shape. */
export function contourAt(x: number, seed: number, y: number): number {
  return x + amplitude * Math.sin(seed * 2.1 + y / 230) + ripple * Math.sin(seed * 0.7 + y / 88)
}

/** The contour as an SVG path from `top` down to at least `bottom`; slow, smooth, and the same at every call. */
export function contourPath(x: number, seed: number, top: number, bottom: number): string {
  const at = (y: number) => contourAt(x, seed, y)
  let path = `M${at(top).toFixed(1)} ${top}`
  for (let y = top; y < bottom; y += stepPx) {
    const from = at(y)
    const to = at(y + stepPx)
    const leave = ((at(y + 1) - from) * stepPx) / 3
    const arrive = ((to - at(y + stepPx - 1)) * stepPx) / 3
    path += `C${(from + leave).toFixed(1)} ${y + stepPx / 3} ${(to - arrive).toFixed(1)} ${y + (2 * stepPx) / 3} ${to.toFixed(1)} ${y + stepPx}`
  }
  return path
}

/** Depth of a band's water, 0 (today) to 4, by how many bands are newer. */
export function depthOf(bandIndex: number, bandCount: number): 0 | 1 | 2 | 3 | 4 {
  const newer = bandCount - 1 - bandIndex
  return newer <= 0 ? 0 : newer === 1 ? 1 : newer === 2 ? 2 : newer === 3 ? 3 : 4
}
