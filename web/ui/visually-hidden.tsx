import type { ReactNode } from 'react'
import styles from './visually-hidden.module.css'

/** Said, not shown. */
export function VisuallyHidden({ children }: { children: ReactNode }) {
  return <span className={styles.hidden}>{children}</span>
}

/** Says what has changed, politely, when `message` changes. One for the page; whoever fills it gathers first. */
export function Announcer({ message }: { message: string }) {
  return (
    <div className={styles.hidden} aria-live="polite" aria-atomic="true">
      {message}
    </div>
  )
}
