import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { isUnderReview } from '../marks/look-of.ts'
import { countText } from '../marks/time-text.ts'
import { useReading } from '../session/use-reading.ts'
import { usePromptIds, usePromptStates, useRequestViews, useShown } from '../sync/hooks.ts'
import { useSync } from '../sync/sync-context.tsx'
import { type Grouped, groupRows, groupWords, type ListFilter, type ListItem } from './group-rows.ts'
import { ListFilters } from './list-filters.tsx'
import { ListRow } from './list-row.tsx'
import styles from './list-view.module.css'

const rowPx = 50
const groupPx = 27

/** All prompts by how much they ask of a person, newest first. Only what is in view is drawn. */
export function ListView() {
  const scroller = useRef<HTMLDivElement>(null)
  const [filter, setFilter] = useState<ListFilter>('all')
  const { items, counts } = useGroups(filter)
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => (items[at]?.kind === 'group' ? groupPx : rowPx),
    getItemKey: (at) => keyOf(items[at]),
    overscan: 8,
  })
  const drawn = rows.getVirtualItems()
  const inView = drawn.flatMap(({ index }) => {
    const item = items[index]
    return item?.kind === 'prompt' ? [item.promptId] : []
  })
  const wanted = useSameList(inView)
  useRequestViews(wanted)
  useShown('list', wanted)

  return (
    <section className={styles.list} aria-label="List">
      <ListFilters counts={counts} value={filter} onChange={setFilter} />
      <div className={styles.grid} ref={scroller} {...scrolledByKeys}>
        <div className={styles.head} aria-hidden="true">
          <span>State</span>
          <span>Prompt, and what is known of it</span>
          <span className={styles.thread}>Thread</span>
          <span className={styles.model}>Model</span>
          <span className={styles.end}>Size, or what to do</span>
          <span className={styles.attempt}>Attempt</span>
          <span className={styles.end}>Created</span>
        </div>
        {items.length === 0 ? <p className={styles.none}>Nothing here.</p> : null}
        <ul className={styles.rows} aria-label="Prompts" style={{ height: rows.getTotalSize() }}>
          {drawn.map(({ index, key, start }) => {
            const item = items[index]
            if (item === undefined) return null
            return (
              <li
                key={key}
                ref={rows.measureElement}
                data-index={index}
                className={styles.item}
                style={{ transform: `translateY(${start}px)` }}
                {...(item.kind === 'prompt' ? { 'data-prompt-id': item.promptId } : {})}
              >
                {item.kind === 'group' ? (
                  <h2 className={styles.group}>
                    {groupWords[item.group]} <span>{countText(item.count)}</span>
                  </h2>
                ) : (
                  <ListRow promptId={item.promptId} />
                )}
              </li>
            )
          })}
        </ul>
      </div>
    </section>
  )
}

const scrolledByKeys = { tabIndex: 0 } as const

function useGroups(filter: ListFilter): Grouped {
  const ids = usePromptIds()
  const states = usePromptStates()
  const { state } = useSync()
  const version = useSyncExternalStore(state.states.subscribe, state.states.version)
  // A review begins by the clock alone, and shows within half a minute.
  const { nowMs } = useReading()
  return useMemo(() => {
    const isInReview = (id: string) => {
      const view = state.view(id)
      return view !== undefined && isUnderReview(view, nowMs)
    }
    return version < 0 ? empty : groupRows(ids, states.get, isInReview, filter)
  }, [ids, states, state, version, nowMs, filter])
}

const empty: Grouped = {
  items: [],
  counts: { all: 0, new: 0, 'needs-you': 0, 'at-work': 0, waiting: 0, answered: 0, cancelled: 0 },
}

function keyOf(item: ListItem | undefined): string {
  if (item === undefined) return ''
  return item.kind === 'group' ? item.group : item.promptId
}

/** The same array as before while it names the same prompts. */
function useSameList(ids: readonly string[]): readonly string[] {
  const key = ids.join(' ')
  return useMemo(() => (key === '' ? [] : key.split(' ')), [key])
}
