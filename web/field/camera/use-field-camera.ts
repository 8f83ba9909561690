import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useCameraIntent } from '../../session/camera-intent-store.ts'
import { usePlace } from '../../session/place-store.ts'
import { centreOn, holdInPlace, type Insets, nowCamera, reveal } from '../engine/camera.ts'
import { type Form, zoomOfLevel } from '../engine/scale.ts'
import type { FieldLayout } from '../use-field-layout.ts'
import { createFieldCamera, type FieldCamera } from './field-camera.ts'

/**
 * The field's camera: knows the size of field and view, keeps what a person looks at in its place when lanes move, does
 * what others ask of it, and brings a new prompt of this browser into view if it is not.
 */
export function useFieldCamera(
  root: RefObject<HTMLElement | null>,
  field: FieldLayout,
  insets: Insets,
  form: Form,
): FieldCamera {
  const [camera] = useState(() => createFieldCamera(window))
  const before = useRef(field)
  const { layout, snapshot, indexOf } = field

  useLayoutEffect(() => {
    const element = root.current
    if (element === null) return
    const measure = (): void => {
      const { clientWidth: viewWidth, clientHeight: viewHeight } = element
      const space = { width: layout.width, height: layout.height, viewWidth, viewHeight, insets, form }
      const newest = layout.ids.length - 1
      camera.setSpace(space, newest < 0 ? null : pointOf({ layout }, newest))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [root, camera, layout, insets, form])

  useLayoutEffect(() => {
    const old = before.current
    before.current = field
    if (old === field) return
    const held = usePlace.getState().promptId
    const from = held === null ? undefined : old.indexOf.get(held)
    const to = held === null ? undefined : indexOf.get(held)
    if (from !== undefined && to !== undefined) {
      camera.put(holdInPlace(camera.camera(), pointOf(old, from), pointOf(field, to)))
    }
    const unsent = snapshot.ids.findIndex(
      (id, index) => snapshot.createdAt[index] === Number.POSITIVE_INFINITY && !old.indexOf.has(id),
    )
    if (unsent >= 0) camera.travelTo(reveal(camera.camera(), pointOf(field, unsent), camera.space()))
  }, [camera, field, snapshot, indexOf])

  const openId = usePlace(({ promptId }) => promptId)
  useEffect(() => {
    const index = openId === null ? undefined : indexOf.get(openId)
    if (index === undefined) return
    // A panel covers more of the view after the prompt was opened: it is revealed again in what stays free.
    const space = { ...camera.space(), insets }
    camera.travelTo(reveal(camera.camera(), pointOf({ layout }, index), space))
  }, [openId, camera, indexOf, layout, insets])

  const intent = useCameraIntent((store) => store.intent)
  useEffect(() => {
    if (intent === null) return
    const space = camera.space()
    if (intent.kind === 'now' || intent.kind === 'fit') {
      camera.travelTo(nowCamera(zoomOfLevel.middle, space))
      return
    }
    const index = before.current.indexOf.get('promptId' in intent ? intent.promptId : '')
    if (index === undefined) return
    const go = intent.kind === 'reveal' ? reveal : centreOn
    camera.travelTo(go(camera.camera(), pointOf(before.current, index), space))
  }, [intent, camera])

  useEffect(() => () => camera.stop(), [camera])
  return camera
}

export function pointOf(field: Pick<FieldLayout, 'layout'>, index: number) {
  return { column: field.layout.column[index] ?? 0, row: field.layout.row[index] ?? 0 }
}
