import { type ReactNode, useMemo, useState } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { foldOf } from './fold.ts'
import { useFolds } from './fold-store.ts'
import styles from './folded-text.module.css'

/** Shows the beginning of a long text until it is unfolded, which is remembered under `foldKey`. */
export function FoldedText({
  text,
  foldKey,
  draw,
  startsOpen = false,
  aside,
}: {
  text: string
  foldKey: string
  draw: (shown: string) => ReactNode
  /** Somebody has been reading it as it was written: it must not close under their eyes. */
  startsOpen?: boolean
  /** Stands beside the fold's button. */
  aside?: ReactNode
}) {
  const fold = useMemo(() => foldOf(text), [text])
  const isRemembered = useFolds(({ unfolded }) => unfolded.has(foldKey))
  const remember = useFolds(({ set }) => set)
  const [chosen, setChosen] = useState<boolean | null>(null)
  const isOpen = fold === null || (chosen ?? (isRemembered || startsOpen))
  const choose = (next: boolean) => {
    setChosen(next)
    remember(foldKey, next)
  }
  return (
    <>
      <div className={isOpen ? undefined : styles.folded}>{draw(isOpen ? text : fold.head)}</div>
      {fold === null && !aside ? null : (
        <div className={styles.row}>
          {fold === null ? null : (
            <button
              type="button"
              className={styles.fold}
              aria-expanded={isOpen}
              onClick={() => choose(!isOpen)}
            >
              <Icon name={isOpen ? 'up' : 'down'} small />
              {isOpen ? 'Fold' : `${fold.hiddenLines.toLocaleString('en')} more lines`}
            </button>
          )}
          {aside}
        </div>
      )}
    </>
  )
}
