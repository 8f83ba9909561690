import { describe, expect, it } from 'vitest'
import {
  type Camera,
  centreOn,
  clampCamera,
  holdInPlace,
  noInsets,
  nowCamera,
  panBy,
  reveal,
  type Space,
  toScreen,
  toWorld,
  visibleRect,
  worldOffset,
  zoomAbout,
} from './camera.ts'
import { levels, metricsAt, nearestLevel } from './scale.ts'

const space: Space = {
  width: 60,
  height: 40,
  viewWidth: 1440,
  viewHeight: 900,
  insets: { ...noInsets, bottom: 140 },
  form: 'desk',
}

describe('camera', () => {
  it('opens on now: open water right of the newest band, the first lane on top', () => {
    const camera = nowCamera(1, space)
    const last = toScreen(camera, { column: 60, row: 0 }, 'desk')
    expect(last.x - 32).toBeCloseTo(1440 - 96)
    expect(last.y).toBeCloseTo(106)
  })

  it('leaves room for a panel', () => {
    const camera = nowCamera(1, { ...space, insets: { ...space.insets, right: 556 } })
    expect(toScreen(camera, { column: 60, row: 0 }, 'desk').x - 32).toBeCloseTo(1440 - 556 - 96)
  })

  it('maps to the screen and back', () => {
    const camera = { x: 12.5, y: 3.25, zoom: 1.3 }
    const world = toWorld(camera, toScreen(camera, { column: 20, row: 7 }, 'phone'), 'phone')
    expect(world.column).toBeCloseTo(20)
    expect(world.row).toBeCloseTo(7)
  })

  it('zooms about the pointer', () => {
    const camera: Camera = { x: 20, y: 10, zoom: 1 }
    const pointer = { x: 700, y: 400 }
    const before = toWorld(camera, pointer, 'desk')
    const after = toWorld(zoomAbout(camera, 1.6, pointer, space), pointer, 'desk')
    expect(after.column).toBeCloseTo(before.column)
    expect(after.row).toBeCloseTo(before.row)
  })

  it('cannot be panned out of sight of the field, and returns the same camera when nothing changes', () => {
    const now = nowCamera(1, space)
    expect(panBy(now, 0, -500, space).y).toBe(now.y)
    expect(toScreen(panBy(now, -99_999, 0, space), { column: 0, row: 0 }, 'desk').x).toBe(232)
    expect(toScreen(panBy(now, 99_999, 0, space), { column: 60, row: 0 }, 'desk').x).toBeGreaterThan(600)
    const bottom = toScreen(panBy(now, 0, 99_999, space), { column: 0, row: 39 }, 'desk').y
    expect(bottom + 100).toBeLessThanOrEqual(900 - 140)
    expect(clampCamera(now, space)).toBe(now)
  })

  it('keeps a small field at its place', () => {
    const small = { ...space, width: 2, height: 2 }
    const now = nowCamera(1, small)
    expect(panBy(now, -300, 300, small)).toEqual(now)
  })

  it('reveals a drop by the shortest way, and stays where it is if the drop is in sight', () => {
    const now = nowCamera(1, space)
    expect(reveal(now, { column: 59, row: 1 }, space)).toBe(now)
    const below = reveal(now, { column: 59, row: 20 }, space)
    expect(below.x).toBe(now.x)
    expect(toScreen(below, { column: 59, row: 20 }, 'desk').y).toBeCloseTo(900 - 140 - 84)
    const earlier = reveal(now, { column: 30, row: 0 }, space)
    expect(toScreen(earlier, { column: 30, row: 0 }, 'desk').x).toBeCloseTo(228)
  })

  it('centres within the part that nothing covers', () => {
    const covered = { ...space, insets: { top: 0, left: 0, right: 556, bottom: 140 } }
    const at = toScreen(
      centreOn(nowCamera(1, covered), { column: 30, row: 20 }, covered),
      { column: 30, row: 20 },
      'desk',
    )
    expect(at.x).toBeCloseTo((1440 - 556) / 2)
    expect(at.y).toBeCloseTo((56 + 900 - 140) / 2)
  })

  it('holds what the layout moved at its place on screen', () => {
    const camera = { x: 10, y: 5, zoom: 1 }
    const held = holdInPlace(camera, { column: 12, row: 8 }, { column: 12, row: 9 })
    expect(toScreen(held, { column: 12, row: 9 }, 'desk')).toEqual(
      toScreen(camera, { column: 12, row: 8 }, 'desk'),
    )
  })

  it('moves the world by whole pixels and sees one column more than the view', () => {
    const camera = { x: 1 / 3, y: -1.06, zoom: 1 }
    expect(worldOffset(camera, 'desk')).toEqual({ x: -62, y: 106 })
    const rect = visibleRect(camera, space)
    expect(rect.left).toBeCloseTo(-2 / 3)
    expect(rect.right).toBeCloseTo(1 / 3 + 1440 / 186 + 1)
  })
})

describe('levels', () => {
  it('are met exactly, and passed evenly in between', () => {
    expect(metricsAt(1, 'desk')).toEqual(levels.desk.middle)
    expect(metricsAt(1, 'phone')).toMatchObject({ pitch: 186, rowHeight: 134 })
    expect(metricsAt(1.5, 'desk').pitch).toBeCloseTo(Math.sqrt(186 * 330))
    expect(metricsAt(9, 'desk')).toEqual(levels.desk.near)
  })
  it('attract what is let go near them', () => {
    expect([0.2, 0.8, 1.4, 1.7].map(nearestLevel)).toEqual(['far', 'middle', 'middle', 'near'])
  })
})
