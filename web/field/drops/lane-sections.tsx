import { useThreadTitle } from '../../sync/hooks.ts'
import { VisuallyHidden } from '../../ui/visually-hidden.tsx'
import type { Layout } from '../engine/layout.ts'
import type { Scale } from '../engine/scale.ts'
import { Drop, type DropProps } from './drop.tsx'

/** At most so many halos move at once; the others rest at full size. */
const movingMax = 40

export type LaneSectionsProps = {
  layout: Layout
  /** Prompts in view, by index. */
  visible: readonly number[]
  threadIds: readonly string[]
  scale: Scale
  selected: ReadonlySet<string>
  openId: string | null
  focusedId: string | null
  /** The drop that the keyboard went to; null while it went to none. */
  takesFocus: string | null
  onPick: DropProps['onPick']
}

/** The drops in view: a section with a heading for each lane, an ordered list of drops in it. */
export function LaneSections({ layout, visible, threadIds, ...rest }: LaneSectionsProps) {
  const byLane = new Map<number, number[]>()
  for (const prompt of visible) {
    const lane = layout.lane[prompt] ?? 0
    const drops = byLane.get(lane) ?? []
    drops.push(prompt)
    byLane.set(lane, drops)
  }
  return [...byLane].map(([laneIndex, drops]) => {
    const lane = layout.lanes[laneIndex]
    if (!lane) return null
    return (
      <LaneSection
        key={threadIds[lane.thread]}
        threadId={threadIds[lane.thread] ?? ''}
        drops={drops}
        all={lane.prompts}
        layout={layout}
        moving={visible.length <= movingMax}
        {...rest}
      />
    )
  })
}

type LaneSectionProps = Omit<LaneSectionsProps, 'visible' | 'threadIds'> & {
  threadId: string
  drops: readonly number[]
  all: readonly number[]
  moving: boolean
}

function LaneSection({ threadId, drops, all, layout, scale, moving, ...rest }: LaneSectionProps) {
  const title = useThreadTitle(threadId)
  const { selected, openId, focusedId, takesFocus, onPick } = rest
  return (
    <section aria-label={title ?? 'Thread'}>
      <VisuallyHidden>
        <h2 dir="auto">{title}</h2>
      </VisuallyHidden>
      <ol>
        {drops.map((prompt) => {
          const promptId = layout.ids[prompt] ?? ''
          return (
            <Drop
              key={promptId}
              promptId={promptId}
              x={(layout.column[prompt] ?? 0) * scale.pitch}
              y={(layout.row[prompt] ?? 0) * scale.rowHeight}
              room={scale.pitch}
              place={all.indexOf(prompt) + 1}
              count={all.length}
              isSelected={selected.has(promptId) || openId === promptId}
              isFocusable={focusedId === promptId}
              hasFocus={takesFocus === promptId}
              resting={!moving}
              onPick={onPick}
            />
          )
        })}
      </ol>
    </section>
  )
}
