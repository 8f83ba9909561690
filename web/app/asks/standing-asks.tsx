import { useFeedStatus } from '../../sync/hooks.ts'
import { useSync } from '../../sync/sync-context.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Icon } from '../../ui/icon.tsx'
import styles from './standing-asks.module.css'

const loginCommand = 'mission login-link'

/** What the page cannot go on without: a person who signs in, or a reload. Field and draft stay as they are. */
export function StandingAsks() {
  const { mode, mustReload } = useFeedStatus()
  const { feed } = useSync()
  if (mode === 'signed-out') {
    return (
      <section className={styles.ask} role="alert" aria-label="Signed out">
        <Icon name="key" />
        <div className={styles.words}>
          <h2>Sign in to continue</h2>
          <p>
            This session has ended. Run <code>{loginCommand}</code> on the server and open its link in this
            browser. What you see and what you typed is kept, and your prompts go on.
          </p>
          <div className={styles.ways}>
            <Button variant="main" onClick={feed.wake}>
              I have signed in
            </Button>
            <CopyButton text={() => loginCommand} label="Copy the command" small={false} />
          </div>
        </div>
      </section>
    )
  }
  if (mustReload) {
    return (
      <section className={styles.ask} role="alert" aria-label="New version">
        <Icon name="retry" />
        <div className={styles.words}>
          <h2>The server runs another version now</h2>
          <p>Reload the page to go on with it. What you typed is kept.</p>
          <div className={styles.ways}>
            <Button variant="main" onClick={() => location.reload()}>
              Reload
            </Button>
          </div>
        </div>
      </section>
    )
  }
  return null
}
