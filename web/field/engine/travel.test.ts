import { describe, expect, it } from 'vitest'
import { type Camera, noInsets, type Space, toScreen } from './camera.ts'
import { ease, startTravel, travelAt } from './travel.ts'

const space: Space = {
  width: 100,
  height: 80,
  viewWidth: 1440,
  viewHeight: 900,
  insets: noInsets,
  form: 'desk',
}
const from: Camera = { x: 10, y: 5, zoom: 1 }

describe('travel', () => {
  it('takes 320 ms, and at most 480 however far it goes', () => {
    expect(startTravel(from, { ...from, x: 12 }, 0, space).durationMs).toBe(320)
    expect(startTravel(from, { ...from, x: 90 }, 0, space).durationMs).toBe(480)
  })

  it('begins where it was, ends exactly where it should, and only goes forward', () => {
    const travel = startTravel(from, { ...from, x: 14, y: 9 }, 1_000, space)
    expect(travelAt(travel, 1_000, space).camera).toMatchObject({ x: from.x, y: from.y })
    expect(travelAt(travel, 1_320, space)).toEqual({ camera: travel.to, arrived: true })
    const way = [0, 40, 80, 160, 240, 319].map((ms) => travelAt(travel, 1_000 + ms, space).camera.x)
    expect(way).toEqual([...way].sort((a, b) => a - b))
    expect(new Set(way).size).toBe(way.length)
  })

  it('jumps with reduced motion', () => {
    const travel = startTravel(from, { ...from, x: 14 }, 1_000, space, true)
    expect(travelAt(travel, 1_000, space)).toEqual({ camera: travel.to, arrived: true })
  })

  it('keeps the middle of the view on a straight way while the zoom changes', () => {
    const to: Camera = { x: 13.3636, y: 6.7, zoom: 2 }
    const travel = startTravel(from, to, 0, space)
    const middle = travelAt(travel, 100, space).camera
    expect(middle.zoom).toBeGreaterThan(1)
    expect(middle.zoom).toBeLessThan(2)
    const centre = toScreen(middle, { column: 13.8, row: 9 }, 'desk')
    expect(Math.abs(centre.x - 720)).toBeLessThan(400)
  })
})

describe('ease', () => {
  it('is the curve of the panels', () => {
    expect(ease(0)).toBe(0)
    expect(ease(1)).toBe(1)
    expect(ease(0.22)).toBeGreaterThan(0.45)
    expect(ease(0.5)).toBeGreaterThan(0.85)
  })
})
