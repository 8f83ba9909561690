import { type CSSProperties, useCallback, useEffect, useMemo, useRef } from 'react'
import { useCameraIntent } from '../session/camera-intent-store.ts'
import { usePlace } from '../session/place-store.ts'
import { useSelection } from '../session/selection-store.ts'
import { useRequestViews, useShown, useTransitions } from '../sync/hooks.ts'
import type { Transition } from '../sync/rows/server-state.ts'
import { classNames } from '../ui/class-names.ts'
import { Beacons } from './beacons.tsx'
import { useCameraWindow } from './camera/use-camera-window.ts'
import { useFieldCamera } from './camera/use-field-camera.ts'
import { useFieldInput } from './camera/use-field-input.ts'
import { useFieldKeys } from './camera/use-field-keys.ts'
import { BandLabels } from './chart/band-labels.tsx'
import { EdgeLines } from './chart/edge-lines.tsx'
import { LaneTitles } from './chart/lane-titles.tsx'
import { Water } from './chart/water.tsx'
import { LaneSections } from './drops/lane-sections.tsx'
import { momentOf, useMoments } from './drops/moments.ts'
import { usePlayNew } from './drops/use-play-new.ts'
import { useShifting } from './drops/use-shifting.ts'
import { type Insets, worldOffset } from './engine/camera.ts'
import { type Form, gutterWidth, metricsAt } from './engine/scale.ts'
import { depthOf } from './engine/wave.ts'
import styles from './field.module.css'
import { FieldTools } from './field-tools.tsx'
import { useFieldLayout } from './use-field-layout.ts'

const shownMax = 50

/**
 * The field at its middle level: lanes are threads, depth is time. One transform moves the world, outside React; what
 * stands in view is culled by whole columns and rows.
 *
 * @param insets what covers the view at each side, such as a panel
 * @param form a phone has wider rows and no gutter
 */
export function FieldView({ insets, form }: { insets: Insets; form: Form }) {
  const root = useRef<HTMLElement>(null)
  const world = useRef<HTMLDivElement>(null)
  const water = useRef<HTMLDivElement>(null)
  const lanes = useRef<HTMLDivElement>(null)
  const field = useFieldLayout()
  const { layout, index, edges, snapshot } = field
  const camera = useFieldCamera(root, field, insets, form)
  const { rect, zoom } = useCameraWindow(camera)
  const scale = useMemo(() => metricsAt(zoom, form), [zoom, form])

  useEffect(() => {
    const draw = (): void => {
      const { x, y } = worldOffset(camera.camera(), form)
      if (world.current) world.current.style.transform = `translate3d(${x}px, ${y}px, 0)`
      if (water.current) water.current.style.transform = `translate3d(${x}px, 0, 0)`
      if (lanes.current) lanes.current.style.transform = `translate3d(0, ${y}px, 0)`
    }
    draw()
    return camera.subscribe(draw)
  }, [camera, form])

  const visible = useMemo(() => index.visible(rect), [index, rect])
  const visibleIds = useMemo(() => visible.map((prompt) => layout.ids[prompt] ?? ''), [visible, layout])
  useRequestViews(visibleIds)
  useShown(
    'field',
    useMemo(() => visibleIds.slice(0, shownMax), [visibleIds]),
  )
  useTransitions(
    useCallback(({ before, after }: Transition) => {
      const moment = momentOf(before, after)
      if (moment) useMoments.getState().play(after.prompt_id, moment)
    }, []),
  )
  usePlayNew(snapshot)

  const openId = usePlace(({ promptId }) => promptId)
  const selected = useSelection(({ ids }) => ids)
  const lastFocused = useSelection(({ focusedId }) => focusedId)
  const focusedId = lastFocused ?? openId ?? visibleIds.at(-1) ?? null
  useFieldKeys(root, field, camera, focusedId)
  const onPick = useCallback(
    (promptId: string, how: { extend: boolean; toggle: boolean }) => {
      const selection = useSelection.getState()
      if (how.extend) selection.extendTo(promptId, layout.ids)
      else if (how.toggle) selection.toggle(promptId)
      else {
        selection.select(promptId)
        usePlace.getState().open(promptId)
      }
    },
    [layout],
  )
  useFieldInput(root, camera, clearSelection)
  const shifting = useShifting(layout.height)

  const bands = useMemo(() => {
    const count = layout.bands.length
    return layout.bands
      .map((band, at) => ({ band, index: at, count }))
      .filter(({ band }) => band.start + band.slots >= rect.left - 1 && band.start <= rect.right + 1)
  }, [layout, rect])
  const shownLanes = layout.lanes.filter(
    (lane) => lane.top + lane.rows >= rect.top - 1 && lane.top <= rect.bottom + 1,
  )
  const visibleEdges = useMemo(() => edges.visible(rect), [edges, rect])
  const { viewHeight } = camera.space()
  const style: CSSProperties & Record<`--${string}`, string> = {
    '--covered-right': `${insets.right}px`,
    '--covered-bottom': `${insets.bottom}px`,
    '--gutter-water': `var(--water-${gutterDepth(bands)})`,
  }

  return (
    <section
      ref={root}
      className={classNames(styles.field, form === 'phone' && styles.phone)}
      style={style}
      aria-label="Field"
    >
      <div ref={water} className={styles.waterLayer}>
        <Water bands={bands} pitch={scale.pitch} originX={0} height={viewHeight} />
      </div>
      <div className={styles.belowBar}>
        <div ref={world} className={classNames(styles.world, shifting && styles.shifting)}>
          <EdgeLines layout={layout} edges={visibleEdges} scale={scale} />
          <LaneSections
            layout={layout}
            visible={visible}
            threadIds={snapshot.threadIds}
            scale={scale}
            selected={selected}
            openId={openId}
            focusedId={focusedId}
            takesFocus={lastFocused}
            onPick={onPick}
          />
        </div>
        <div className={styles.gutter} />
        <div ref={lanes} className={styles.laneLayer}>
          <LaneTitles
            lanes={shownLanes}
            ids={layout.ids}
            threadIds={snapshot.threadIds}
            rowHeight={scale.rowHeight}
          />
        </div>
      </div>
      <BandLabels bands={layout.bands} camera={camera} leftPx={form === 'phone' ? 16 : gutterWidth + 8} />
      <Beacons
        layout={layout}
        rect={rect}
        onTravel={(promptId) => useCameraIntent.getState().centre(promptId)}
      />
      <FieldTools camera={camera} />
    </section>
  )
}

function clearSelection(): void {
  useSelection.getState().clear()
}

/** The gutter takes the tone of the water that it lies on. */
function gutterDepth(bands: readonly { index: number; count: number }[]): number {
  const [first] = bands
  return first ? depthOf(first.index, first.count) : 0
}
