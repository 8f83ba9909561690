import { useEffect, useRef } from 'react'
import { useRefusal } from '../sync/hooks.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import styles from './refused-text.module.css'

/** A prompt that the server will not have: says why, and gives its text back. */
export function RefusedText({
  draftKey,
  isBoxFree,
  giveBack,
}: {
  draftKey: string
  isBoxFree: boolean
  giveBack: (text: string) => void
}) {
  const { refusal, dismiss } = useRefusal(draftKey)
  const handled = useRef<typeof refusal>(undefined)
  useEffect(() => {
    if (refusal === undefined || handled.current === refusal) return
    handled.current = refusal
    if (isBoxFree) giveBack(refusal.text)
  }, [refusal, isBoxFree, giveBack])
  if (refusal === undefined) return null
  const isBack = handled.current === refusal && !isBoxFree
  return (
    <div className={styles.refused} role="alert">
      <Icon name="cross" />
      <span className={styles.sentence}>Not accepted: {refusal.sentence}</span>
      {isBack ? null : (
        <Button small variant="line" onClick={() => giveBack(refusal.text)}>
          Put the text back
        </Button>
      )}
      <IconButton small icon="cross" label="Close" onClick={dismiss} />
    </div>
  )
}
