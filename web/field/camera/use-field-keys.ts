import { type RefObject, useEffect } from 'react'
import { usePreferences } from '../../session/preferences-store.ts'
import { usePromptVerbs } from '../../session/prompt-verbs.ts'
import { useSelection } from '../../session/selection-store.ts'
import { useSync } from '../../sync/sync-context.tsx'
import { nowCamera, reveal } from '../engine/camera.ts'
import { zoomOfLevel } from '../engine/scale.ts'
import type { Direction } from '../engine/spatial-index.ts'
import type { FieldLayout } from '../use-field-layout.ts'
import type { FieldCamera } from './field-camera.ts'

const directions: Readonly<Record<string, Direction>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
}
const letters: Readonly<Record<string, Direction>> = { j: 'down', k: 'up' }
const zoomStep = 0.15

/** Keys of the field: arrows and J, K move, X selects, R retries, N goes to now, `+` and `−` zoom. */
export function useFieldKeys(
  root: RefObject<HTMLElement | null>,
  field: FieldLayout,
  camera: FieldCamera,
  focusedId: string | null,
): void {
  const { retry } = usePromptVerbs()
  const { state } = useSync()
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
      if (event.target !== document.body && !isWithin(root.current, event.target)) return
      const single = usePreferences.getState().singleKeys
      const direction = directions[event.key] ?? (single ? letters[event.key] : undefined)
      const { layout, index, indexOf } = field
      const at = focusedId === null ? -1 : (indexOf.get(focusedId) ?? -1)
      const take = (): void => event.preventDefault()
      if (direction !== undefined && at >= 0) {
        const next = index.neighbour(at, direction)
        const id = layout.ids[next]
        if (id !== undefined) {
          useSelection.getState().focus(id)
          const point = { column: layout.column[next] ?? 0, row: layout.row[next] ?? 0 }
          camera.travelTo(reveal(camera.camera(), point, camera.space()))
        }
        take()
      } else if (!single) return
      else if (event.key === 'n') camera.travelTo(nowCamera(zoomOfLevel.middle, camera.space()))
      else if (event.key === '+' || event.key === '-') {
        const { viewWidth, viewHeight } = camera.space()
        camera.zoomAt(event.key === '+' ? zoomStep : -zoomStep, { x: viewWidth / 2, y: viewHeight / 2 })
      } else if (focusedId === null) return
      else if (event.key === 'x') useSelection.getState().toggle(focusedId)
      else if (event.key === 'r' && state.view(focusedId)?.state === 'failed') retry(focusedId)
      else return
      take()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [root, field, camera, focusedId, retry, state])
}

function isWithin(root: HTMLElement | null, target: EventTarget | null): boolean {
  return root !== null && target instanceof Node && root.contains(target)
}
