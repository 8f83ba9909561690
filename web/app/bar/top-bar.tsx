import { Disc } from '../../marks/disc.tsx'
import { countText } from '../../marks/time-text.ts'
import { usePlace } from '../../session/place-store.ts'
import { useCounts } from '../../sync/hooks.ts'
import { Brand } from '../../ui/brand.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { FeedBadge } from './feed-badge.tsx'
import { PageMenu } from './page-menu.tsx'
import styles from './top-bar.module.css'

const views = [
  { value: 'field', label: 'Field', icon: 'field' },
  { value: 'list', label: 'List', icon: 'list' },
] as const

/** Where one is, what goes on, and whether the page hears of it. */
export function TopBar() {
  const { view, show } = usePlace()
  return (
    <header className={styles.top}>
      <p className={styles.brand}>
        <Brand />
        <span>Mission Field</span>
      </p>
      <Segmented label="View" segments={views} value={view} onChange={show} />
      <span className={styles.grow} />
      <Counts />
      <FeedBadge />
      <PageMenu />
    </header>
  )
}

/** Of the server's rows, so they are alike in every tab and after a reload. */
function Counts() {
  const { atWork, waiting, total } = useCounts()
  if (total === 0) return null
  return (
    <p className={styles.counts}>
      <span>
        <Disc look={{ disc: 'pending' }} mini resting={atWork === 0} />
        <b>{countText(atWork)}</b> at work
      </span>
      <span>
        <Disc look={{ disc: 'queued' }} mini resting />
        <b>{countText(waiting)}</b> waiting
      </span>
    </p>
  )
}
