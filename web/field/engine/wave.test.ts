import { describe, expect, it } from 'vitest'
import { contourAt, contourPath, depthOf } from './wave.ts'

describe('contourPath', () => {
  it('is the same for the same day and another for the next', () => {
    expect(contourPath(100, 20_524, -90, 900)).toBe(contourPath(100, 20_524, -90, 900))
    expect(contourPath(100, 20_525, -90, 900)).not.toBe(contourPath(100, 20_524, -90, 900))
  })
  it('never strays more than 18 px from its band, and reaches the bottom', () => {
    for (let y = -90; y < 2_000; y += 7) expect(Math.abs(contourAt(100, 3, y) - 100)).toBeLessThanOrEqual(18)
    expect(contourPath(100, 3, -90, 900)).toMatch(/ 900$/)
  })
  it('starts on its curve', () => {
    expect(contourPath(0, 2, -90, 0)).toMatch(new RegExp(`^M${contourAt(0, 2, -90).toFixed(1)} -90C`))
  })
})

describe('depthOf', () => {
  it('is the surface today and no deeper than four', () => {
    expect([6, 5, 4, 3, 2, 1, 0].map((band) => depthOf(band, 7))).toEqual([0, 1, 2, 3, 4, 4, 4])
  })
})
