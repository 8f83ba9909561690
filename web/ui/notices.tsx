import type { ReactNode } from 'react'
import { Button, IconButton } from './button.tsx'
import { classNames } from './class-names.ts'
import styles from './notices.module.css'

export type Notice = {
  readonly id: string
  readonly text: ReactNode
  /** `problem` is said at once and waits to be closed; others are said politely. */
  readonly tone?: 'plain' | 'problem'
  readonly action?: { readonly label: string; readonly onPress: () => void }
}

/** The last few things that happened, above everything. Whoever owns the list decides when they go. */
export function Notices({ notices, onClose }: { notices: readonly Notice[]; onClose: (id: string) => void }) {
  return (
    <section className={styles.region} aria-label="Notices">
      <div aria-live="polite">{rows(notices, onClose, false)}</div>
      <div aria-live="assertive">{rows(notices, onClose, true)}</div>
    </section>
  )
}

function rows(notices: readonly Notice[], onClose: (id: string) => void, problems: boolean): ReactNode {
  return notices
    .filter((notice) => (notice.tone === 'problem') === problems)
    .map(({ id, text, action }) => (
      <div key={id} className={classNames(styles.notice, problems && styles.problem)}>
        <span className={styles.text}>{text}</span>
        {action ? (
          <Button small variant="line" onClick={action.onPress}>
            {action.label}
          </Button>
        ) : null}
        <IconButton small icon="cross" label="Close this notice" onClick={() => onClose(id)} />
      </div>
    ))
}
