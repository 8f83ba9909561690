import { usePromptStates } from '../sync/hooks.ts'
import { Icon } from '../ui/icon.tsx'
import { beaconsOf } from './beacon-words.ts'
import type { Rect } from './engine/camera.ts'
import type { Layout } from './engine/layout.ts'
import styles from './field.module.css'

const icons = { above: 'up', below: 'down', earlier: 'left', later: 'right' } as const

/** What lives elsewhere, since lanes are never re-sorted by activity; pressing one travels there. */
export function Beacons({
  layout,
  rect,
  onTravel,
}: {
  layout: Layout
  rect: Rect
  onTravel: (promptId: string) => void
}) {
  const states = usePromptStates()
  const beacons = beaconsOf(layout, rect, states)
  return (
    <nav className={styles.beacons} aria-label="Elsewhere on the field">
      {beacons.map(({ side, text, promptId }) => (
        <button key={side} type="button" className={styles.beacon} onClick={() => onTravel(promptId)}>
          <Icon name={icons[side]} small />
          {text}
        </button>
      ))}
    </nav>
  )
}
