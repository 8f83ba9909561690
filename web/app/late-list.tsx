import { type ComponentType, useEffect, useState } from 'react'
import { Button } from '../ui/button.tsx'
import styles from './asks/not-reached.module.css'

let View: ComponentType | null = null

/** Fetches the code of the list. @throws what the browser throws when it cannot */
export async function loadList(): Promise<void> {
  View = (await import('../list/list-view.tsx')).ListView
}

/** The list, whose code is not part of the first load; says so where it cannot be fetched, and asks again. */
export function LateList() {
  const [turn, setTurn] = useState(0)
  const [isFailed, setFailed] = useState(false)
  const [, setLoaded] = useState(View !== null)
  useEffect(() => {
    if (View !== null && turn === 0) return setLoaded(true)
    let isWanted = true
    loadList().then(
      () => isWanted && setLoaded(true),
      () => isWanted && setFailed(true),
    )
    return () => {
      isWanted = false
    }
  }, [turn])
  if (View !== null) return <View />
  if (!isFailed) return null
  return (
    <section className={styles.away} aria-label="List">
      <p>The list could not be fetched from the server.</p>
      <Button
        variant="line"
        icon="retry"
        onClick={() => {
          setFailed(false)
          setTurn(turn + 1)
        }}
      >
        Try again
      </Button>
    </section>
  )
}
