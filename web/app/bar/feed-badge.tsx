import type { ReactNode } from 'react'
import { useReading } from '../../session/use-reading.ts'
import { useCounts, useFeedStatus } from '../../sync/hooks.ts'
import { classNames } from '../../ui/class-names.ts'
import styles from './feed-badge.module.css'
import { type FeedShape, feedWords } from './feed-words.ts'

/** Which way changes come: *live*, *polling every 2 s*, *offline since 14:02*. */
export function FeedBadge() {
  const status = useFeedStatus()
  const { unsent } = useCounts()
  const { timeZone } = useReading()
  const { shape, tone, words } = feedWords(status, unsent, timeZone)
  return (
    <span className={classNames(styles.badge, styles[tone])} role="status">
      <svg viewBox="0 0 10 10" aria-hidden="true">
        {shapes[shape]}
      </svg>
      {words}
    </span>
  )
}

const shapes: Readonly<Record<FeedShape, ReactNode>> = {
  disc: <circle cx="5" cy="5" r="4.5" fill="currentColor" />,
  ring: <circle cx="5" cy="5" r="3.8" fill="none" stroke="currentColor" strokeWidth="1.4" />,
  triangle: <path d="M5 .8 9.3 9H.7z" fill="currentColor" />,
  cross: <path d="m1 1 8 8M9 1 1 9" fill="none" stroke="currentColor" strokeWidth="2" />,
}
