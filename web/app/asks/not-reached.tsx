import { useSync } from '../../sync/sync-context.tsx'
import { Button } from '../../ui/button.tsx'
import styles from './not-reached.module.css'

/** Nothing was read yet and nothing answers: says so, instead of an empty field that looks like the truth. */
export function NotReached() {
  const { feed } = useSync()
  return (
    <section className={styles.away} aria-label="Not reached">
      <h1>The server does not answer.</h1>
      <p>
        It may be starting, or stopped, or out of reach. Your prompts are on it, not here, so nothing is lost.
        It is asked again by itself; what you write below is kept and sent then.
      </p>
      <Button variant="line" icon="retry" onClick={feed.wake}>
        Ask now
      </Button>
    </section>
  )
}
