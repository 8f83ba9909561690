import { usePromptStates, useThreadTitle } from '../../sync/hooks.ts'
import { classNames } from '../../ui/class-names.ts'
import type { Lane } from '../engine/layout.ts'
import styles from '../field.module.css'
import { laneNote } from './lane-note.ts'

/** The titles in the gutter; on a phone above their row. Their sections carry the headings, so these are for the eye. */
export function LaneTitles({
  lanes,
  ids,
  threadIds,
  rowHeight,
}: {
  lanes: readonly Lane[]
  ids: readonly string[]
  threadIds: readonly string[]
  rowHeight: number
}) {
  return lanes.map((lane) => (
    <LaneTitle
      key={threadIds[lane.thread]}
      threadId={threadIds[lane.thread] ?? ''}
      promptIds={lane.prompts.map((prompt) => ids[prompt] ?? '')}
      y={lane.top * rowHeight}
    />
  ))
}

function LaneTitle({
  threadId,
  promptIds,
  y,
}: {
  threadId: string
  promptIds: readonly string[]
  y: number
}) {
  const states = usePromptStates()
  const title = useThreadTitle(threadId) ?? ''
  const { count, live } = laneNote(promptIds, states)
  return (
    <div className={styles.laneTitle} style={{ transform: `translateY(${y}px)` }} aria-hidden="true">
      <p className={styles.lane} dir="auto" title={title}>
        {title}
      </p>
      <p className={styles.laneNote}>
        {count} {count === 1 ? 'prompt' : 'prompts'}
        {live === null ? null : (
          <>
            {' · '}
            <em className={classNames(styles[live.tone])}>{live.text}</em>
          </>
        )}
      </p>
    </div>
  )
}
