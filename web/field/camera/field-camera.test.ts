import { describe, expect, it } from 'vitest'
import { nowCamera, type Space, toScreen } from '../engine/camera.ts'
import { type CameraPage, createFieldCamera } from './field-camera.ts'

const space: Space = {
  width: 40,
  height: 30,
  viewWidth: 1_000,
  viewHeight: 800,
  insets: { top: 0, right: 0, bottom: 0, left: 0 },
  form: 'desk',
}

/** A page whose frames the test draws, and whose reader wants no movement or some. */
function setup(reducedMotion: boolean) {
  const frames: ((nowMs: number) => void)[] = []
  const page: CameraPage = {
    matchMedia: () => ({ matches: reducedMotion }),
    requestAnimationFrame: (draw) => frames.push(draw),
    cancelAnimationFrame: () => {},
    performance: { now: () => 1_000 },
  }
  const camera = createFieldCamera(page)
  camera.setSpace(space, null)
  const drawFrame = (atMs: number) => {
    for (const draw of frames.splice(0)) draw(atMs)
  }
  return { camera, drawFrame, page }
}

describe('the camera of a field', () => {
  it('stays at now while the field fills, until a person moves it', () => {
    const { camera } = setup(false)
    camera.setSpace({ ...space, width: 60 }, null)
    expect(camera.camera()).toEqual(nowCamera(1, { ...space, width: 60 }))
    camera.pan(-400, 0)
    const moved = camera.camera()
    camera.setSpace({ ...space, width: 61 }, null)
    expect(camera.camera()).toEqual(moved)
  })

  it('opens with the newest prompt in view, however many lanes stand above it', () => {
    const { camera } = setup(false)
    const home = { column: 39, row: 29 }
    camera.setSpace(space, home)
    const { y } = toScreen(camera.camera(), home, 'desk')
    expect(y).toBeGreaterThan(0)
    expect(y).toBeLessThan(space.viewHeight)
  })

  it('draws once a frame, however often it is moved', () => {
    const { camera, drawFrame } = setup(false)
    drawFrame(0)
    let drawn = 0
    camera.subscribe(() => {
      drawn += 1
    })
    camera.pan(-10, 0)
    camera.pan(-10, 0)
    camera.pan(-10, 0)
    drawFrame(16)
    expect(drawn).toBe(1)
  })

  it('gives a travel up for any input', () => {
    const { camera, drawFrame, page } = setup(false)
    const start = page.performance.now()
    camera.travelTo({ x: 0, y: 0, zoom: 1 })
    drawFrame(start + 50)
    camera.pan(-10, 0)
    const held = camera.camera()
    drawFrame(start + 5_000)
    expect(camera.camera()).toEqual(held)
  })

  it('jumps where movement is not wanted', () => {
    const { camera, drawFrame, page } = setup(true)
    camera.travelTo({ x: 3, y: 2, zoom: 1 })
    drawFrame(page.performance.now())
    expect(camera.camera()).toEqual({ x: 3, y: 2, zoom: 1 })
  })
})
