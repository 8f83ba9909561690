import { memo } from 'react'
import { usePromptStates } from '../../sync/hooks.ts'
import { edgePath } from '../engine/edge-path.ts'
import type { Edge } from '../engine/edges.ts'
import type { Layout } from '../engine/layout.ts'
import type { Scale } from '../engine/scale.ts'
import styles from '../field.module.css'

/** The lines from each prompt to those that continue it; dotted while the later one waits for the earlier. */
export const EdgeLines = memo(function EdgeLines({
  layout,
  edges,
  scale,
}: {
  layout: Layout
  edges: readonly Edge[]
  scale: Scale
}) {
  const states = usePromptStates()
  const stateOf = (prompt: number) => states.get(layout.ids[prompt] ?? '')?.state
  return (
    <svg className={styles.edges} aria-hidden="true" focusable="false">
      {edges.map((edge) => {
        const waits = stateOf(edge.to) === 'queued' && stateOf(edge.from) !== 'succeeded'
        return (
          <path
            key={`${edge.from}-${edge.to}`}
            className={waits ? styles.waits : undefined}
            d={edgePath(layout, edge, scale)}
          />
        )
      })}
    </svg>
  )
})
