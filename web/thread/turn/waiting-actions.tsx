import type { PromptView } from '../../../shared/prompt-view.ts'
import { usePromptVerbs } from '../../session/prompt-verbs.ts'
import { usePromptView } from '../../sync/hooks.ts'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import styles from './turn.module.css'

/** The ways out for what waits: one that is held for a prompt that ended badly has three of them. */
export function WaitingActions({ view }: { view: PromptView }) {
  const { retry, stop, release } = usePromptVerbs()
  const { wait_reason: reason, prompt_id: id } = view
  const firstId = reason?.code === 'held' || reason?.code === 'after' ? reason.prompt_id : null
  const first = usePromptView(firstId)
  const mayRetry = reason?.code === 'held' && (first?.state === 'failed' || first?.state === 'cancelled')
  return (
    <>
      {mayRetry && firstId !== null ? (
        <span className={styles.chip}>
          <Chip icon="retry" onClick={() => retry(firstId)}>
            Retry the first
          </Chip>
        </span>
      ) : null}
      {firstId === null ? null : (
        <Button
          small
          variant={reason?.code === 'held' ? 'line' : 'plain'}
          icon="right"
          title="Goes on without that answer"
          onClick={() => release(id)}
        >
          Run without it
        </Button>
      )}
      <Button small icon="cross" onClick={() => stop(id)}>
        Cancel
      </Button>
    </>
  )
}
